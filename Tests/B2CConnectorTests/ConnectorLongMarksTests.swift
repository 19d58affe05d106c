import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Servers that send long runs of combining marks, with which these calls would take minutes without a limit.
@Suite("Combining marks that a server sends", .hangLimit)
struct ConnectorLongMarksTests {
  static let runs = ["\u{301}\u{323}", "\u{94D}\u{93C}", "\u{64B}\u{651}"].map { String(repeating: $0, count: 40_000) }

  private let scene = Scene(dialect: .rest)

  private func kept(_ run: String) -> String { String(String.UnicodeScalarView(run.unicodeScalars.prefix(30))) }

  private func respond(on target: LocalFaultTarget, _ status: Int, _ body: String) -> [LocalFault] {
    [LocalFault(on: target, .respond(LocalResponse(status: status, body: Data(body.utf8))))]
  }

  @Test("A task whose title has too many is listed with a cut title, and can be deleted by its id", arguments: runs)
  func title(_ run: String) async throws {
    let connector = try await scene.signedIn()
    scene.tasks.tasks = ["Buy milk" + run, run, "Walk dog"].map {
      LocalTask(owner: LocalUser.alice.id, text: $0, date: scene.clock.date)
    }
    let list = try await connector.getTaskList()
    let titles = ["Buy milk" + kept(run), kept(run), "Walk dog"]
    #expect(Set(list.map { Array($0.itemName.utf8) }) == Set(titles.map { Array($0.utf8) }))
    for task in list { try await connector.deleteTask(task) }
    #expect(scene.tasks.tasks.isEmpty)
    // A new task with such a title is stored.
    let title = "x" + String(run.unicodeScalars.prefix(10_000))
    #expect(try await connector.addTask(TaskItem(itemName: title)).serverID != nil)
  }

  @Test("Metadata with too many is not accepted, and its issuer is shown with thirty", arguments: runs)
  func metadata(_ run: String) async throws {
    scene.tenant.faults = respond(on: .metadata, 200, #"{"issuer":"a\#(run)"}"#)
    await expectError(ConnectorError.self, .invalidResponse, saying: "30 combining marks") {
      try await scene.connector().signIn()
    }
  }

  @Test("A callback with too many is not accepted", arguments: ["\u{301}\u{323}", "\u{94D}\u{93C}"])
  func callback(_ marks: String) async throws {
    let run = FormEncoding.escape(String(repeating: marks, count: 2_000))
    for answer in ["error=access_denied&error_description=a\(run)", "code=1&a\(run)=1"] {
      let connector = try scene.connector(
        presenter: CannedPresenter { "\(Scene.redirect)?state=\($0.state.value)&\(answer)" })
      await expectError(ConnectorError.self, .invalidResponse, saying: "30 combining marks") {
        try await connector.signIn()
      }
    }
  }

  @Test("A page with too many does not stop a diagnosis", arguments: runs)
  func page(_ run: String) async throws {
    for words in ["<title>a\(run)</title>", "AADSTS50011: a\(run)", String(repeating: "<p>\n", count: 200_000)] {
      scene.tenant.faults = respond(on: .authorize, 400, "<html>\(words)")
      let diagnosis = try await scene.connector().diagnose()
      #expect(!CombiningMarks.areTooMany(in: diagnosis.description))
      #expect(diagnosis.findings.contains { $0.check == "sign-in page" })
    }
  }

  @Test("The challenge of an API: its words are cut, and such claims are not taken", arguments: runs)
  func challenge(_ run: String) async throws {
    let connector = try await scene.signedIn()
    let marks = String(run.unicodeScalars.prefix(1_000))
    let claims = Base64URL.encode(Data(#"{"access_token":{"a\#(marks)":null}}"#.utf8))
    let fields = ["Bearer error=\"insufficient_scope\", scope=\"a\(run)\"", "Bearer claims=\"\(claims)\""]
    for (field, code) in zip(fields, [ErrorCode.insufficientScope, .claimsRequired]) {
      let response = LocalResponse(status: 403, headers: ["WWW-Authenticate": field, "Content-Type": "text\(run)"])
      scene.tasks.faults = [LocalFault(.respond(response))]
      let error = try await #require(throws: ConnectorError.self) { try await connector.getTaskList() }
      #expect(error.code == code && error.claims == nil)
      #expect(!CombiningMarks.areTooMany(in: "\(error)"))
    }
  }
}
