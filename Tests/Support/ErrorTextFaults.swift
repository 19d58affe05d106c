import Foundation

/// What is wrong with the text of an error, whichever error it is.
///
/// - Parameters:
///   - message: The error's message.
///   - advice: What to do about it.
///   - description: The whole text as it is logged.
///   - isPlainIssuer: Whether it is about a provider that is not Microsoft's.
/// - Returns: The faults in words; none for a good text.
package func errorTextFaults(
  message: String, advice: String?, description: String, isPlainIssuer: Bool = false
) -> [String] {
  var faults: [String] = []
  func check(_ isRight: Bool, _ fault: String) { if !isRight { faults.append(fault) } }
  let ends: Set<Character> = [".", "!", "?", "…"]
  for (name, text) in [("message", message), ("advice", advice ?? "."), ("description", description)] {
    check(text.last.map(ends.contains) == true || text.hasSuffix(")"), "the \(name) has no full stop")
  }
  // A list of problems has a line for each.
  check(!message.hasSuffix(")"), "the message has no full stop")
  check(advice?.hasSuffix(")") != true, "the advice has no full stop")
  for doubled in ["..", ".;", ". .", "?.", "!.", ":.", "“”", "''"] {
    let text = description.replacingOccurrences(of: "...", with: "…").replacingOccurrences(of: "\n  ", with: "\n")
    check(!text.contains(doubled), "'\(doubled)' is in the description")
  }
  // A UUID that is not a client's, a tenant's or a session's: the texts under test have no other.
  let ids = description.lowercased().matches(of: /correlation id:? ([0-9a-f-]{36})/).map { String($0.output.1) }
  check(Set(ids).count == ids.count, "a correlation id is there twice")
  if let advice {
    check(description.components(separatedBy: advice).count == 2, "the advice is not there once")
    check(!message.contains(advice), "the message has the advice too")
  }
  if isPlainIssuer {
    let foreign = [
      "policy", "policies", "user flow", "portal", "b2c", "aadsts", "azure", "entra id", "client id itself",
    ]
    for word in foreign { check(!description.lowercased().contains(word), "'\(word)' is Microsoft's") }
  }
  return faults
}
