import Foundation
import Testing

/// Every message of the programs in `Docs/Examples`, side by side, as their source has it.
///
/// `.ci/examples` runs the programs and compares what they print.
@Suite("Messages of the programs")
struct ProgramMessageTests {
  static let programs: [(directory: String, messages: String)] = [
    (
      "Tasks",
      """
      --settings needs a file. --help shows the options.
      There is no option \\(word). --help shows the options.
      A command is missing. --help shows the commands.
      \\(command) needs \\(needsOperand ? "one argument" : "no argument"). --help shows the commands.
      No one can sign in until the failed checks are fixed.
      \\(user) must sign in again. Run tasks login.
      There is no command \\(arguments.command). --help shows the commands.
      There is no task \\(arguments.operand ?? ""). tasks list shows the numbers.
      """
    ),
    (
      "Quickstart",
      """
      \\(word) needs a value
      \\(text) is not a redirect URI
      \\(text) is not a port
      There is no option \\(word)
      --issuer needs --client-id
      --policy needs --settings
      \\(option) \\(reason)
      No address was pasted.
      \\(text) is not a URL
      The server still lists the task that it deleted.
      The server answered a call after the sign-out.
      The SDK returned a token after the sign-out.
      """
    ),
    (
      "LocalTenant",
      """
      \\(word) needs \\(kind). --help shows the options.
      There is no option \\(word). --help shows the options.
      The settings cannot be written to \\(file). Check that its directory exists and is writable.
      """
    ),
    (
      "TaskServer",
      """
      DATABASE cannot be used, because this server was built without PostgreSQL.
      SETTINGS is missing. Set it to the path of settings.plist.
      LOGIN_KEY is not 32 bytes in base64. Make one with openssl rand -base64 32.
      LOGIN_KEY is missing. With DATABASE, all instances need the same one.
      The redirect URI needs a path of its own, for example /callback, and no query.
      PORT is missing, and the redirect URI has none.
      The sign-in does not fit into a cookie. Request fewer scopes.
      The user's browser shows the page, and the server does not wait for it.
      \\(error)
      It may have been saved. Look at the list.
      Please sign in again.
      The service is busy. Try again in a minute.
      That did not work (\\(error.code.rawValue)).
      This sign-in did not begin in this browser, or another one began after it.
      You are signed out of this site. Your session at the sign-in page goes on, because it has no sign-out page.
      """
    ),
  ]

  @Test("A program has exactly these messages", arguments: programs)
  func messages(_ directory: String, _ messages: String) throws {
    let root = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    let folder = root.appending(path: "Docs/Examples/\(directory)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    let found = try files.flatMap { name in
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      // A literal up to its end: inside an interpolation there may be others.
      let start = /(?:message:|\bstop\(|ConnectorError\(\s*\.\w+,|: \(|\blet text =)\s*"/
      return text.matches(of: start).compactMap { literal(text[$0.range.upperBound...]) }
    }
    #expect(Set(found) == Set(messages.split(separator: "\n").map(String.init)))
  }

  /// Returns the text of a literal whose opening quotation mark has been read.
  private func literal(_ text: Substring) -> String? {
    var depth = 0
    var last: Character = " "
    for index in text.indices {
      let character = text[index]
      if depth > 0 || last == "\\" && character == "(" {
        depth += character == "(" ? 1 : character == ")" ? -1 : 0
      } else if character == "\"" {
        return String(text[..<index])
      }
      last = character
    }
    return nil
  }
}
