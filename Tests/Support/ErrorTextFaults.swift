package import B2CCore
import Foundation

/// Returns what is wrong with the text of an error, or an empty array.
///
/// With `isPlainIssuer` the error is about a provider that is not Microsoft's, so it must not name Microsoft's things.
package func errorTextFaults(_ error: ConnectorError, isPlainIssuer: Bool = false) -> [String] {
  var faults: [String] = []
  func check(_ isRight: Bool, _ fault: String) { if !isRight { faults.append(fault) } }
  let (message, advice, text) = (error.message, error.recoverySuggestion, error.description)
  for (name, text) in [("message", message), ("advice", advice ?? "."), ("description", text)] {
    // The description of an error without advice may end with its request or its correlation id.
    check(
      text.last.map(".!?…".contains) == true || name == "description" && text.hasSuffix(")"), "\(name): no full stop")
  }
  // A list of problems has a line for each.
  let plain = text.replacing("...", with: "…").replacing("\n  ", with: "\n")
  for doubled in ["..", ".;", ". .", "?.", "!.", ":.", "“”", "''"] {
    check(!plain.contains(doubled), "'\(doubled)' is in the description")
  }
  let ids = text.lowercased().matches(of: /correlation id:? ([0-9a-f-]{36})/).map { String($0.output.1) }
  check(Set(ids).count == ids.count, "a correlation id is there twice")
  if let advice {
    check(text.components(separatedBy: advice).count == 2, "the advice is not there once")
    check(!message.contains(advice), "the message contains the advice")
  }
  let foreign = ["policy", "policies", "user flow", "portal", "b2c", "aadsts", "azure", "entra id", "client id itself"]
  for word in foreign where isPlainIssuer { check(!text.lowercased().contains(word), "'\(word)' is Microsoft's") }
  return faults
}
