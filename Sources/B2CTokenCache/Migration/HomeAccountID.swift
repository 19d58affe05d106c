/// The account id in the form that Microsoft's libraries use: `<object id>-<policy>.<tenant id>`, without a policy in
/// Entra ID.
struct HomeAccountID {
  private static let policyMark = "-b2c_1"

  let objectID: String
  /// In lower case; empty when there is none.
  let policy: String
  let tenantID: String

  /// Takes an id apart; `nil` when it has no tenant.
  ///
  /// The last dot ends the person's part, because policies may have dots; the policy starts at its fixed prefix, because
  /// object ids have dashes.
  init?(_ text: String) {
    let text = text.lowercased()
    guard let dot = text.lastIndex(of: "."), dot > text.startIndex, text.index(after: dot) < text.endIndex else {
      return nil
    }
    let person = text[..<dot]
    tenantID = String(text[text.index(after: dot)...])
    if let mark = person.firstRange(of: Self.policyMark) {
      objectID = String(person[..<mark.lowerBound])
      policy = String(person[person.index(after: mark.lowerBound)...])
    } else {
      objectID = String(person)
      policy = ""
    }
    if objectID.isEmpty { return nil }
  }

  /// The person's id in the keys of this package.
  var accountID: String { "\(objectID).\(tenantID)" }
}
