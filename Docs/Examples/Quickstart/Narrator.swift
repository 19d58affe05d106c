import B2CConnector
import Foundation

/// Prints what happens, a line for each step, so that a person can follow.
struct Narrator: Sendable {
  /// Begins a step.
  func step(_ text: String) {
    Self.write("\n" + text)
  }

  /// Says what came of it.
  func result(_ text: String) {
    Self.write("    " + text)
  }

  /// Lists tasks.
  func tasks(_ tasks: [TaskItem]) {
    result(tasks.isEmpty ? "no tasks" : "\(tasks.count) tasks: " + tasks.map(\.itemName).joined(separator: ", "))
  }

  /// Shows who the user is, and the claims if the settings want them shown.
  func user(_ user: UserInfo, showsClaims: Bool) {
    result("signed in as \(user.name ?? user.username ?? user.id) by \(user.policyID ?? "no policy")")
    guard showsClaims else { return }
    for name in user.claims.keys.sorted() where name != "nonce" {
      if let claim = user.claims[name] { result("  \(name): \(Self.text(claim))") }
    }
  }

  /// Writes a line at once, so that it precedes an error that follows.
  static func write(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .string(let text): text
    case .array(let elements): elements.map(text).joined(separator: ", ")
    case .object(let fields): fields.keys.sorted().joined(separator: ", ")
    }
  }
}
