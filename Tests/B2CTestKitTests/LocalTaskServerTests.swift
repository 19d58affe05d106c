import B2CCore
import B2CHTTP
import B2CIDToken
import B2CTestKit
import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.hangLimit)
struct LocalTaskServerTests {
  let clock = TestClock(advancesItself: false)
  let tenant: LocalTenant

  init() {
    let clock = clock
    tenant = LocalTenant(now: { clock.date })
  }

  private func token(_ user: LocalUser = .alice, scope: String = "openid https://contoso.onmicrosoft.com/tasks/read")
    async throws -> String
  {
    let visitor = TenantVisitor(tenant)
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(user))
    let answer = try await visitor.redeem(visitor.signIn(["scope": scope], presenter: presenter)["code"])
    return try #require(answer["access_token"])
  }

  private func send(
    _ server: LocalTaskServer, _ method: String, _ path: String = "", _ token: String?,
    body: [String: JSONValue]? = nil
  ) async throws -> (status: Int, challenge: String?, value: JSONValue?) {
    let url = try #require(URL(string: server.url.absoluteString + path))
    var request = URLRequest(method: method, url: url)
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

  @Test(arguments: [
    (TaskDialect.tutorial, "/tasks", "task"), (.repository, "/api/tasks", "Text"),
  ])
  func addListDeleteInBothDialects(dialect: TaskDialect, path: String, key: String) async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: dialect)
    #expect(server.url.path == path)
    let token = try await token()
    let added = try await send(server, "POST", "", token, body: [key: .string("Buy milk")])
    #expect(added.status == 201)
    let document = try #require(added.value?.object)
    #expect(Set(document.keys) == ["_id", "owner", key, "date", "__v"])
    #expect(document["owner"] == .string(LocalUser.alice.id))
    #expect(document["date"] == .string("2026-01-01T00:00:00.000Z"))
    #expect(document["_id"]?.string?.utf8.count == 24)
    await clock.advance(by: .milliseconds(1500))
    _ = try await send(server, "POST", "", token, body: [key: .string("Walk dog")])
    let list = try await send(server, "GET", "", token)
    #expect(list.status == 200)
    #expect(texts(list.value, key: key) == ["Buy milk", "Walk dog"])
    #expect(list.value?.array?[1].object?["date"] == .string("2026-01-01T00:00:01.500Z"))
    #expect(try await send(server, "DELETE", "", token, body: [key: .string("Buy milk")]).status == 204)
    #expect(texts(try await send(server, "GET", "", token).value, key: key) == ["Walk dog"])
  }

  @Test func everyPersonHasTasksOfTheirOwn() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let (alice, bob) = (try await token(), try await token(.bob))
    _ = try await send(server, "POST", "", alice, body: ["task": .string("hers")])
    _ = try await send(server, "POST", "", bob, body: ["task": .string("his")])
    #expect(texts(try await send(server, "GET", "", alice).value) == ["hers"])
    #expect(texts(try await send(server, "GET", "/" + LocalUser.alice.id, bob).value) == ["his"])
    #expect(try await send(server, "DELETE", "", bob, body: ["task": .string("hers")]).status == 204)
    #expect(server.tasks(of: LocalUser.alice.id).map(\.text) == ["hers"])
    // The id of her `UserInfo`.
    #expect(server.tasks(of: "\(LocalUser.alice.id).\(server.tenant.tenantID)").map(\.text) == ["hers"])
  }

  @Test func badTokensGet401WithAChallenge() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let good = try await token()
    let claims = TokenAnswer.claims(good)
    let key = tenant.signingKeys[0]
    let visitor = TenantVisitor(tenant)
    let cases: [String?] = [
      nil, "nonsense", try TestSigningKey.unsignedToken(claims: claims),
      try TestSigningKey.any(.es256, id: key.id).token(claims: claims),
      try key.token(claims: claims.merging(["aud": .string("other")]) { $1 }),
      try key.token(claims: claims.merging(["iss": .string("https://x.example/")]) { $1 }),
      try key.token(claims: claims.merging(["exp": .integer(1)]) { $1 }),
      try key.token(claims: claims.merging(["nbf": .integer(9_000_000_000)]) { $1 }),
      try await visitor.tokens()["id_token"],
    ]
    for token in cases {
      let answer = try await send(server, "GET", "", token)
      #expect(answer.status == 401)
      let challenge = try #require(answer.challenge)
      #expect(challenge.hasPrefix("Bearer realm=\"Users\""))
      #expect(challenge.contains("error=\"invalid_token\"") == (token != nil))
      #expect(answer.value == nil)
    }
    #expect(try await send(server, "GET", "", good).status == 200)
    await clock.advance(by: .seconds(3600))
    #expect(try await send(server, "GET", "", good).status == 401)
  }

  @Test func missingScopeGets403() async throws {
    let server = LocalTaskServer(tenant: tenant, requiredScopes: ["write"])
    let answer = try await send(server, "GET", "", try await token())
    #expect(answer.status == 403)
    #expect(answer.challenge?.contains("error=\"insufficient_scope\", scope=\"write\"") == true)
  }

  @Test func tokenForTheAppItselfIsTaken() async throws {
    let server = LocalTaskServer(tenant: tenant)
    #expect(try await send(server, "GET", "", try await token(scope: tenant.clientID)).status == 200)
  }

  @Test func missingTextIs409AndForeignPathsAre404() async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: .repository)
    let token = try await token()
    for body in [[:], ["task": .string("x")], ["Text": .string("")]] as [[String: JSONValue]] {
      let answer = try await send(server, "POST", "", token, body: body)
      #expect(answer.status == 409)
      #expect(answer.value?.object?["code"] == .string("MissingTask"))
      #expect(answer.value?.object?["message"] == .string("\"Text\" is a required parameter"))
    }
    #expect(try await send(server, "GET", "/a/b", token).status == 404)
    let other = try #require(URL(string: "https://tasks.example/other"))
    #expect(try await server.transport.answer(to: URLRequest(url: other)).status == 404)
    let method = "OPTIONS"
    #expect(try await send(server, method, "", token).status == 405)
  }

  @Test func malformedBodyIs400() async throws {
    let server = LocalTaskServer(tenant: tenant)
    var request = URLRequest(method: "POST", url: server.url, body: Data("{".utf8))
    request.setValue("Bearer " + (try await token()), forHTTPHeaderField: "Authorization")
    #expect(try await server.transport.answer(to: request).status == 400)
  }

  @Test(
    "A task whose title, id or owner only looks the same is another one",
    arguments: [("é", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}")])
  func twins(_ one: String, _ other: String) async throws {
    let token = try await token()
    let byTitle = LocalTaskServer(tenant: tenant)
    let byID = LocalTaskServer(tenant: tenant, dialect: .rest)
    for server in [byTitle, byID] {
      server.tasks = [one, other].map {
        LocalTask(id: $0, owner: LocalUser.alice.id, text: $0, date: clock.date)
      }
    }
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

  static let deletions: [(TaskDialect, String, [String: JSONValue]?, Int, kept: [String])] = [
    // By title, whatever an id in path or body says, and from wherever the title comes.
    (.tutorial, "", ["_id": .string("1"), "task": .string("milk")], 204, ["3"]),
    (.tutorial, "/1", ["task": .string("milk")], 204, ["3"]),
    (.tutorial, "/1", ["task": .string("tea")], 204, ["1", "2", "3"]),
    (.tutorial, "/1", nil, 409, ["1", "2", "3"]), (.tutorial, "", ["Text": .string("milk")], 409, ["1", "2", "3"]),
    (.repository, "/1", ["Text": .string("milk")], 204, ["3"]),
    // By id, whatever title comes along.
    (.rest, "/1", nil, 204, ["2", "3"]), (.rest, "/1", ["task": .string("milk")], 204, ["2", "3"]),
    (.rest, "/4", ["task": .string("milk")], 404, ["1", "2", "3"]),
    (.rest, "", ["_id": .string("1"), "task": .string("milk")], 405, ["1", "2", "3"]),
    (.rest, "/somebody/milk", nil, 404, ["1", "2", "3"]),
  ]

  @Test("A deletion is by title at the published servers, by id at one that routes so", arguments: deletions.indices)
  func deletion(_ index: Int) async throws {
    let (dialect, path, body, status, kept) = Self.deletions[index]
    let server = LocalTaskServer(tenant: tenant, dialect: dialect)
    server.tasks = [("1", "milk"), ("2", "milk"), ("3", "bread")].map {
      LocalTask(id: $0.0, owner: LocalUser.alice.id, text: $0.1, date: clock.date)
    }
    #expect(try await send(server, "DELETE", path, try await token(), body: body).status == status)
    #expect(server.tasks.map(\.id) == kept)
  }

  @Test func deleteWithoutAKeyIsRefused() async throws {
    let server = LocalTaskServer(tenant: tenant)
    let token = try await token()
    let his = LocalTask(owner: LocalUser.bob.id, text: "his", date: clock.date)
    server.tasks = [LocalTask(owner: LocalUser.alice.id, text: "hers", date: clock.date), his]
    for path in ["", "/" + LocalUser.alice.id] {
      #expect(try await send(server, "DELETE", path, token).status == 409)
    }
    #expect(server.tasks.count == 2)
  }

  @Test func updateChangesOwnTasksOnly() async throws {
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    let task = LocalTask(owner: LocalUser.alice.id, text: "hers", date: clock.date)
    server.tasks = [task]
    let (alice, bob) = (try await token(), try await token(.bob))
    let changes: [String: JSONValue] = ["completed": .bool(true)]
    let answer = try await send(server, "PUT", "/" + task.id, alice, body: changes)
    #expect(answer.status == 200)
    #expect(answer.value?.object?["completed"] == .bool(true))
    #expect(try await send(server, "GET", "/" + task.id, alice).value?.object?["_id"] == .string(task.id))
    for method in ["GET", "PUT", "DELETE"] {
      #expect(try await send(server, method, "/" + task.id, bob, body: changes).status == 404)
    }
  }

  @Test("The published servers cannot change a task", arguments: ["PUT", "PATCH"])
  func noUpdate(_ method: String) async throws {
    let server = LocalTaskServer(tenant: tenant)
    #expect(try await send(server, method, "/1", try await token(), body: ["completed": .bool(true)]).status == 405)
  }
}
