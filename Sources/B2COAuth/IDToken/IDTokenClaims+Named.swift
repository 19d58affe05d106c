public import Foundation
import B2CCore

extension IDTokenClaims {
  /// The user's object id in the directory (`oid`).
  public var objectID: String? { all["oid"]?.string }

  /// The tenant's id (`tid`), which Azure AD B2C leaves out unless the policy asks for it.
  public var tenantID: String? { all["tid"]?.string }

  /// The policy that the user went through (`tfp`, in old tenants `acr`), in whatever case the service wrote it.
  public var policy: String? { all["tfp"]?.string ?? all["acr"]?.string }

  /// The name to show (`name`).
  public var name: String? { all["name"]?.string }

  /// The given name (`given_name`).
  public var givenName: String? { all["given_name"]?.string }

  /// The family name (`family_name`).
  public var familyName: String? { all["family_name"]?.string }

  /// The mail addresses: Azure AD B2C's `emails`, then `email`.
  public var emails: [String] {
    var emails = all["emails"]?.array?.compactMap(\.string) ?? []
    if let email = all["email"]?.string, !emails.contains(email) {
      emails.append(email)
    }
    return emails
  }

  /// The name the user signs in with (`preferred_username`).
  public var preferredUsername: String? { all["preferred_username"]?.string }

  /// Who said who the user is (`idp`), such as `facebook.com`; `nil` for a local account.
  public var identityProvider: String? { all["idp"]?.string }

  /// Whether the account was made just now (`newUser`).
  public var isNewUser: Bool { all["newUser"]?.bool ?? (all["newUser"]?.string == "true") }

  /// The nonce of the request (`nonce`).
  public var nonce: String? { all["nonce"]?.string }

  /// The client that the token was issued to (`azp`).
  public var authorizedParty: String? { all["azp"]?.string }

  /// When the user last proved who they are (`auth_time`).
  public var authenticationTime: Date? { all["auth_time"].flatMap(NumericDate.date) }
}
