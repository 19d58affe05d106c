public import Foundation

/// Who signs people in: a host and a tenant, with or without a policy.
///
/// Read from every form in which people have it: `https://contoso.b2clogin.com/contoso.onmicrosoft.com/`, with a policy
/// in the path, behind `tfp/` or in `?p=`, with a GUID for a tenant, on a custom domain, or as a whole endpoint or
/// metadata URL pasted from a portal. What the developer wrote goes over the wire in its own case; comparing and keying
/// is done in lower case, as the service does it.
public struct Authority: Sendable {
  /// What the authority is as it stands; ``kind(for:)`` says what it becomes with a policy.
  public let kind: Kind
  /// Scheme, host, port and tenant, without policy and without a slash at the end.
  ///
  /// For a generic issuer whose path is no single tenant it is the whole issuer.
  public let baseURL: URL
  /// The host in the developer's case; an IPv6 address has no brackets.
  public let host: String
  /// The tenant in the developer's case: a domain name, a GUID, `common` and the like.
  public let tenant: String?
  /// The policy that the text carried.
  public let policy: Policy?
  /// Where the text had its policy; ``PolicyForm/query`` when it had none.
  public internal(set) var form: PolicyForm
  /// Further hosts, in any case, that metadata may name as its issuer or for its endpoints.
  public var trustedHosts: Set<String> = []

  /// Whether the developer gave the kind, so that a policy does not change it.
  let isKindGiven: Bool
  /// `scheme://host[:port]` in the developer's case.
  let origin: String
  /// The path of a generic issuer, with a slash in front or empty.
  let issuerPath: String

  /// Reads an authority.
  ///
  /// On Microsoft's hosts the kind is known. On any other host a policy in the text, or a tenant such as
  /// `contoso.onmicrosoft.com`, means Azure AD B2C on a custom domain, and anything else a generic OpenID Connect issuer,
  /// which a policy used later turns into Azure AD B2C. External ID or Entra ID on a custom domain has to be said by
  /// `kind`.
  ///
  /// - Parameters:
  ///   - text: The authority, with or without scheme-own port, trailing slash, policy or endpoint path.
  ///   - kind: What the authority is, where its host does not tell.
  /// - Throws: ``AuthorityError`` with the code of the first fault that was found, and with the corrected text when it
  ///   is known. Codes: see ``AuthorityError/Code``; never ``AuthorityError/Code/retiredAuthority``, which
  ///   ``retirement(for:)`` answers.
  public init(_ text: String, kind: Kind? = nil) throws(AuthorityError) {
    do throws(Defect) {
      try self.init(reading: text, kind: kind)
    } catch {
      throw AuthorityError(
        error.code, error.message, value: ShownText.show(text),
        suggestion: ShownText.mayHaveUserInfo(text)
          ? nil : error.mended.flatMap { Self.suggestion(from: $0, kind: kind, depth: 6) },
        recoverySuggestion: error.recovery)
    }
  }

  init(
    kind: Kind, isKindGiven: Bool, origin: String, host: String, tenant: String?, issuerPath: String = "",
    policy: Policy? = nil, form: PolicyForm = .query
  ) throws(Defect) {
    let base = tenant.map { origin + "/" + $0 } ?? (origin + issuerPath)
    guard let baseURL = URL(string: base) else {
      throw Defect(.notAURL, "The authority is no URL.", recovery: AuthorityText.example)
    }
    self.kind = kind
    self.isKindGiven = isKindGiven
    self.origin = origin
    self.host = host
    self.tenant = tenant
    self.issuerPath = issuerPath
    self.policy = policy
    self.form = form
    self.baseURL = baseURL
  }

  /// Reads mended text until it has no fault left; what is offered was read itself, so it shows nothing it should not.
  private static func suggestion(from text: String, kind: Kind?, depth: Int) -> String? {
    do throws(Defect) {
      return try Authority(reading: text, kind: kind).description
    } catch {
      guard depth > 0, let mended = error.mended else { return nil }
      return suggestion(from: mended, kind: kind, depth: depth - 1)
    }
  }
}
