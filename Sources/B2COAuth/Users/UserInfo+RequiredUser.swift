import B2CCore
import Foundation

extension UserInfo {
  /// Returns why the claims cannot be compared with the user that the settings require, and what to do.
  ///
  /// It is `nil` if they can be, so that another user has signed in.
  func obstacle(toComparingWith required: String, isMicrosoft: Bool) -> (message: String, advice: String)? {
    let required = required.trimmingCharacters(in: .whitespaces)
    let isAddress = required.contains("@")
    if !isMicrosoft, names.contains(where: { ASCIIText.isSameIgnoringCase($0, required) }) {
      return (
        "The id_token names the user of userId only by a user name or an address that is not verified.",
        "Write the user's subject (sub) as userId in the settings."
      )
    }
    let isID = GUID.isGUID(required) || !isMicrosoft && !isAddress
    guard !isID, names.allSatisfy({ $0.contains("@") != isAddress }) else { return nil }
    let name = names.isEmpty ? "address or user name" : isAddress ? "address" : "user name"
    let claim =
      policyID != nil
      ? "Add the claim Email Addresses to the user flow"
      : isMicrosoft ? "Add the optional claim email to the app's registration" : "Add the scope email to the settings"
    return (
      "The id_token has no \(name) to compare with userId of the settings.",
      (isAddress ? claim : "Write the user's address as userId")
        + ", or write the user's \(isMicrosoft ? "object ID" : "subject (sub)") as userId."
    )
  }
}
