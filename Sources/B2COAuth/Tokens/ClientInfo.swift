internal import B2CCore
internal import Foundation

/// The `client_info` of a token answer: the parts that MSAL makes account ids from.
struct ClientInfo: Sendable {
  /// `<object id>-<policy>` with a policy, `<object id>` without.
  let uid: String
  /// The tenant id.
  let utid: String

  init?(_ text: String) {
    guard let data = Base64URL.decode(text),
      let members = try? JSONReader.object(data),
      let uid = members["uid"]?.string, let utid = members["utid"]?.string, !uid.isEmpty, !utid.isEmpty
    else { return nil }
    self.uid = uid.lowercased()
    self.utid = utid.lowercased()
  }
}
