internal import B2CCore
internal import B2CHTTP
internal import Foundation
internal import TaskAPI

extension LocalTaskServer {
  /// Returns the response to a request, without recording the request or applying faults.
  func respond(to request: URLRequest) -> LocalResponse {
    let path = request.path
    let segments = path.dropFirst(basePath.count).split(separator: "/").map(String.init)
    guard path == basePath || path.hasPrefix(basePath + "/"), segments.count <= 1 else {
      return error(404, "ResourceNotFound", "\(path) does not exist")
    }
    guard let token = request.bearerToken else { return refusal(401) }
    guard let claims = tenant.claims(ofAccessToken: token, audiences: audiences) else {
      return refusal(401, #", error="invalid_token""#)
    }
    guard requiredScopes.isSubset(of: (claims["scp"]?.string ?? "").split(separator: " ").map(String.init)) else {
      return refusal(403, #", error="insufficient_scope", scope="\#(requiredScopes.sorted().joined(separator: " "))""#)
    }
    let body = request.httpBody ?? Data()
    guard let fields = body.isEmpty ? [:] : try? JSONReader.object(body, cutsMarks: true) else {
      return error(400, "InvalidContent", "Invalid JSON in the body")
    }
    let owner = (claims["oid"] ?? claims["sub"])?.string ?? ""
    let (id, routesByID) = (segments.first, dialect.routesByID)
    // Microsoft's sample servers have no route that changes a task. A server that routes by id needs an id to change or
    // delete one.
    switch request.method {
    case "GET", "HEAD": return list(of: owner, id: id)
    case "POST" where id == nil || !routesByID: return add(fields, of: owner)
    case "DELETE" where id != nil || !routesByID: return delete(fields, of: owner, id: id)
    case "PUT" where id != nil && routesByID: return update(fields, of: owner, id: id)
    default: return error(405, "MethodNotAllowed", "\(request.method) is not allowed")
    }
  }

  /// Returns a JSON response.
  private func json(_ value: JSONValue, status: Int = 200) -> LocalResponse {
    LocalResponse(status: status, headers: ["Content-Type": "application/json"], body: LocalJSON.data(value))
  }

  /// Returns an error in the form of restify, on which Microsoft's sample server is built.
  private func error(_ status: Int, _ code: String, _ message: String) -> LocalResponse {
    json(.object(["code": .string(code), "message": .string(message)]), status: status)
  }

  /// Returns a refusal with a bearer challenge (RFC 6750 section 3).
  private func refusal(_ status: Int, _ parameters: String = "") -> LocalResponse {
    LocalResponse(
      status: status,
      headers: ["WWW-Authenticate": "Bearer realm=\"Users\"" + parameters, "Content-Type": "text/plain"],
      body: Data((status == 401 ? "Unauthorized" : "Forbidden").utf8))
  }
}

/// The operations on tasks.
extension LocalTaskServer {
  private func list(of owner: String, id: String?) -> LocalResponse {
    let own = tasks(of: owner).sorted { $0.date < $1.date }
    // Microsoft's sample servers ignore an id in the path, and return all tasks of the token's user.
    guard dialect.routesByID, let id else { return json(.array(own.map(document))) }
    return own.first { ASCIIText.isSame($0.id, id) }.map { json(document($0)) } ?? taskNotFound
  }

  private func add(_ fields: [String: JSONValue], of owner: String) -> LocalResponse {
    guard let title = title(fields) else { return missingTask }
    // Microsoft's sample servers, whose dialect does not route by id, ignore `completed` when a task is added.
    let completed = dialect.routesByID ? fields["completed"]?.bool : nil
    let task = LocalTask(owner: owner, text: title, completed: completed, date: now())
    state.withLock { $0.append(task) }
    return json(document(task), status: 201)
  }

  private func update(_ fields: [String: JSONValue], of owner: String, id: String?) -> LocalResponse {
    state.withLock { tasks in
      guard let id, let index = tasks.firstIndex(where: { ASCIIText.isSame($0.id, id) && $0.isOf(owner) }) else {
        return taskNotFound
      }
      if let flag = fields["completed"]?.bool { tasks[index].completed = flag }
      if let title = title(fields) { tasks[index].text = title }
      return json(document(tasks[index]))
    }
  }

  private func delete(_ fields: [String: JSONValue], of owner: String, id: String?) -> LocalResponse {
    state.withLock { tasks in
      if dialect.routesByID, let id {
        let count = tasks.count
        tasks.removeAll { $0.isOf(owner) && ASCIIText.isSame($0.id, id) }
        return tasks.count < count ? LocalResponse(status: 204) : taskNotFound
      }
      // Microsoft's sample servers delete every task with the title, and ignore an id in the path or the body.
      guard let title = title(fields) else { return missingTask }
      tasks.removeAll { $0.isOf(owner) && ASCIIText.isSame($0.text, title) }
      return LocalResponse(status: 204)
    }
  }

  /// Returns the title in a body, or `nil` if it is missing or empty.
  private func title(_ fields: [String: JSONValue]) -> String? {
    fields[dialect.titleKey]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  private var missingTask: LocalResponse {
    error(409, "MissingTask", #""\#(dialect.titleKey)" is a required parameter"#)
  }

  private var taskNotFound: LocalResponse { error(404, "TaskNotFound", "The task was not found") }

  /// Returns a task as the JSON document that the sample server's database returns.
  private func document(_ task: LocalTask) -> JSONValue {
    let fields: [String: JSONValue?] = [
      "_id": .string(task.id), "owner": .string(task.owner), dialect.titleKey: .string(task.text),
      "completed": task.completed.map(JSONValue.bool), "date": .string(Dates.internet(task.date)), "__v": 0,
    ]
    return .object(fields.compactMapValues(\.self))
  }
}
