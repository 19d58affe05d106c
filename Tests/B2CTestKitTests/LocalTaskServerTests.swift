import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTaskServerTests {
  let clock = TestClock(advancesItself: false)
  let tenant: LocalTenant

  init() {
    let clock = clock
    tenant = LocalTenant(now: { clock.date })
  }

  private func token(
    _ user: LocalUser = .alice, scope: String = "openid https://contoso.onmicrosoft.com/tasks/read"
  ) async throws -> String {
    let visitor = TenantVisitor(tenant)
    return try #require(try await visitor.tokens(["scope": scope], as: visitor.user(.signIn(user)))["access_token"])
  }

  private func send(
    _ server: LocalTaskServer, _ method: String, _ path: String = "", _ token: String?,
    body: [String: JSONValue]? = nil
  ) async throws -> (status: Int, challenge: String?, value: JSONValue?) {
    var request = URLRequest(method: method, url: try url(server.url.absoluteString + path))
    request.setValue(token.map { "Bearer " + $0 }, forHTTPHeaderField: "Authorization")
    if let body {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = try JSONEncoder().encode(JSONValue.object(body))
    }
    let answer = try await server.transport.answer(to: request)
    let value = try? JSONDecoder().decode(JSONValue.self, from: answer.body)
    return (answer.status, answer.header("www-authenticate"), value)
  }

  private func texts(_ value: JSONValue?, key: String = "task") -> [String?]? {
    value?.array?.map { $0.object?[key]?.string }
  }

  @Test(
    "Tasks are added, listed and deleted in both published dialects",
    arguments: [(TaskDialect.tutorial, "/tasks", "task"), (.repository, "/api/tasks", "Text")])
  func dialects(_ dialect: TaskDialect, _ path: String, _ key: String) async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: dialect)
    #expect(server.url.path == path)
    let token = try await token()
    let added = try await send(server, "POST", "", token, body: [key: "Buy milk"])
    let document = try #require(added.value?.object)
    #expect(added.status == 201 && Set(document.keys) == ["_id", "owner", key, "date", "__v"])
    #expect(document["owner"] == .string(LocalUser.alice.id))
    #expect(document["date"] == "2026-01-01T00:00:00.000Z")
    #expect(document["_id"]?.string?.utf8.count == 24)
    await clock.advance(by: .milliseconds(1500))
    _ = try await send(server, "POST", "", token, body: [key: "Walk dog"])
    let list = try await send(server, "GET", "", token)
    #expect(list.status == 200 && texts(list.value, key: key) == ["Buy milk", "Walk dog"])
    #expect(list.value?.array?[1].object?["date"] == "2026-01-01T00:00:01.500Z")
    #expect(try await send(server, "DELETE", "", token, body: [key: "Buy milk"]).status == 204)
    #expect(texts(try await send(server, "GET", "", token).value, key: key) == ["Walk dog"])
  }

  @Test("Every user has tasks of their own")
  func owners() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let (alice, bob) = (try await token(), try await token(.bob))
    _ = try await send(server, "POST", "", alice, body: ["task": "hers"])
    _ = try await send(server, "POST", "", bob, body: ["task": "his"])
    #expect(texts(try await send(server, "GET", "", alice).value) == ["hers"])
    #expect(texts(try await send(server, "GET", "/" + LocalUser.alice.id, bob).value) == ["his"])
    #expect(try await send(server, "DELETE", "", bob, body: ["task": "hers"]).status == 204)
    #expect(server.tasks(of: LocalUser.alice.id).map(\.text) == ["hers"])
    // The id of her `UserInfo`.
    #expect(server.tasks(of: "\(LocalUser.alice.id).\(server.tenant.tenantID)").map(\.text) == ["hers"])
  }

  @Test("A bad token is answered 401 with a challenge")
  func badTokens() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let good = try await token()
    let claims = TokenAnswer.part(1, of: good)
    let key = tenant.signingKeys[0]
    let changes: [[String: JSONValue]] = [
      ["aud": "other"], ["iss": "https://x.example/"], ["exp": .integer(1)],
      ["nbf": .integer(9_000_000_000)],
    ]
    let others = [
      nil, "nonsense", try TestSigningKey.unsignedToken(claims: claims),
      try TestSigningKey.any(.es256, id: key.id).token(claims: claims),
      try await TenantVisitor(tenant).tokens()["id_token"],
    ]
    for token in others + (try changes.map { try key.token(claims: claims.merging($0) { $1 }) }) {
      let answer = try await send(server, "GET", "", token)
      #expect(answer.status == 401 && answer.value == nil)
      let challenge = try #require(answer.challenge)
      #expect(challenge.hasPrefix("Bearer realm=\"Users\""))
      #expect(challenge.contains("error=\"invalid_token\"") == (token != nil))
    }
    #expect(try await send(server, "GET", "", good).status == 200)
    await clock.advance(by: .seconds(3600))
    #expect(try await send(server, "GET", "", good).status == 401)
  }

  @Test("A token without the scope is answered 403, and one for the app itself is taken")
  func scopes() async throws {
    let strict = LocalTaskServer(tenant: tenant, requiredScopes: ["write"])
    let answer = try await send(strict, "GET", "", try await token())
    let isNamed = answer.challenge?.contains("error=\"insufficient_scope\", scope=\"write\"")
    #expect(answer.status == 403 && isNamed == true)
    let server = LocalTaskServer(tenant: tenant)
    #expect(try await send(server, "GET", "", try await token(scope: tenant.clientID)).status == 200)
  }

  @Test("A missing text is answered 409, text that is no JSON 400, another path 404, and another method 405")
  func badRequests() async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: .repository)
    let token = try await token()
    for body in [[:], ["task": "x"], ["Text": ""]] as [[String: JSONValue]] {
      let answer = try await send(server, "POST", "", token, body: body)
      #expect(answer.status == 409 && answer.value?.object?["code"] == "MissingTask")
      #expect(answer.value?.object?["message"] == "\"Text\" is a required parameter")
    }
    let malformed = URLRequest(
      method: "POST", url: server.url, headers: ["Authorization": "Bearer " + token], body: Data("{".utf8))
    #expect(try await server.transport.answer(to: malformed).status == 400)
    #expect(try await send(server, "GET", "/a/b", token).status == 404)
    let other = URLRequest(url: try url("https://tasks.example/other"))
    #expect(try await server.transport.answer(to: other).status == 404)
    // The published servers cannot change a task.
    for (method, path) in [("OPTIONS", ""), ("PUT", "/1"), ("PATCH", "/1")] {
      #expect(try await send(server, method, path, token, body: ["completed": .bool(true)]).status == 405)
    }
  }

  @Test(
    "A task whose title, id or owner only looks the same is another one",
    arguments: [("é", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}")])
  func twins(_ one: String, _ other: String) async throws {
    let token = try await token()
    let byTitle = LocalTaskServer(tenant: tenant)
    let byID = LocalTaskServer(tenant: tenant, dialect: .rest)
    for server in [byTitle, byID] { server.tasks = [one, other].map { task($0, $0) } }
    #expect(try await send(byTitle, "DELETE", "", token, body: ["task": .string(one)]).status == 204)
    #expect(byTitle.tasks.map { Array($0.text.utf8) } == [Array(other.utf8)])
    let path = "/" + FormEncoding.escape(other)
    #expect(try await send(byID, "PUT", path, token, body: ["task": "new"]).status == 200)
    #expect(byID.tasks.map(\.text) == [one, "new"])
    #expect(try await send(byID, "DELETE", path, token).status == 204)
    #expect(byID.tasks.map { Array($0.id.utf8) } == [Array(one.utf8)])
    byID.tasks = [LocalTask(owner: one, text: "a", date: clock.date)]
    #expect(byID.tasks(of: other).isEmpty && byID.tasks(of: one).count == 1)
  }

  private func task(_ id: String, _ text: String) -> LocalTask {
    LocalTask(id: id, owner: LocalUser.alice.id, text: text, date: clock.date)
  }

  static let deletions: [(TaskDialect, String, [String: JSONValue]?, Int, kept: [String])] = [
    // By title, whatever an id in path or body says, and from wherever the title comes.
    (.tutorial, "", ["_id": "1", "task": "milk"], 204, ["3"]),
    (.tutorial, "/1", ["task": "milk"], 204, ["3"]),
    (.tutorial, "/1", ["task": "tea"], 204, ["1", "2", "3"]),
    (.tutorial, "", nil, 409, ["1", "2", "3"]), (.tutorial, "/1", nil, 409, ["1", "2", "3"]),
    (.tutorial, "", ["Text": "milk"], 409, ["1", "2", "3"]),
    (.repository, "/1", ["Text": "milk"], 204, ["3"]),
    // By id, whatever title comes along.
    (.rest, "/1", nil, 204, ["2", "3"]), (.rest, "/1", ["task": "milk"], 204, ["2", "3"]),
    (.rest, "/4", ["task": "milk"], 404, ["1", "2", "3"]),
    (.rest, "", ["_id": "1", "task": "milk"], 405, ["1", "2", "3"]),
    (.rest, "/somebody/milk", nil, 404, ["1", "2", "3"]),
  ]

  @Test("A deletion is by title at the published servers, by id at one that routes so", arguments: deletions.indices)
  func deletion(_ index: Int) async throws {
    let (dialect, path, body, status, kept) = Self.deletions[index]
    let server = LocalTaskServer(tenant: tenant, dialect: dialect)
    server.tasks = [task("1", "milk"), task("2", "milk"), task("3", "bread")]
    #expect(try await send(server, "DELETE", path, try await token(), body: body).status == status)
    #expect(server.tasks.map(\.id) == kept)
  }

  @Test("An update changes only the user's own task")
  func update() async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    server.tasks = [task("1", "hers")]
    let (alice, bob) = (try await token(), try await token(.bob))
    let changes: [String: JSONValue] = ["completed": .bool(true)]
    let answer = try await send(server, "PUT", "/1", alice, body: changes)
    #expect(answer.status == 200 && answer.value?.object?["completed"] == .bool(true))
    #expect(try await send(server, "GET", "/1", alice).value?.object?["_id"] == "1")
    for method in ["GET", "PUT", "DELETE"] {
      #expect(try await send(server, method, "/1", bob, body: changes).status == 404)
    }
  }
}
