internal import B2CCore
internal import Foundation

/// The ids of the person a token answer is about.
struct AccountIdentity: Sendable {
  // What old tenants send in place of a subject.
  private static let noSubject = "Not supported currently. Use oid claim."

  /// `<object id>.<tenant id>`, in lower case: the same for every policy.
  let accountID: String
  /// MSAL's form: with the policy behind the object id.
  let homeAccountID: String

  init(claims: [String: JSONValue], clientInfo: ClientInfo?, policy: Policy?, issuer: String) {
    let subject = claims["sub"]?.string.flatMap { $0 == Self.noSubject ? nil : $0 }
    let object = (claims["oid"]?.string ?? subject ?? clientInfo.map(Self.objectID) ?? "").lowercased()
    let tenant = (claims["tid"]?.string ?? clientInfo?.utid ?? Self.tenant(in: issuer)).lowercased()
    accountID = object + "." + tenant
    homeAccountID =
      clientInfo.map { $0.uid + "." + $0.utid }
      ?? object + (policy.map { "-" + $0.key } ?? "") + "." + tenant
  }

  private static func objectID(_ info: ClientInfo) -> String {
    info.uid.range(of: "-b2c_1").map { String(info.uid[..<$0.lowerBound]) } ?? info.uid
  }

  /// The GUID in the issuer's path, else its host: subjects are unique within an issuer only.
  private static func tenant(in issuer: String) -> String {
    guard let url = URL(string: issuer) else { return "unknown" }
    return url.pathComponents.first { UUID(uuidString: $0) != nil } ?? url.host ?? "unknown"
  }
}
