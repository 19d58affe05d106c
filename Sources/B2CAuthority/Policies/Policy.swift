import B2CCore

/// A policy (user flow) of Azure AD B2C: one journey of a user, such as signing in.
///
/// Two policies are the same when their ids are, whatever the case: the service compares them so, shows
/// `B2C_1_Name` in its portal and answers `b2c_1_name`. On the wire the id keeps the developer's case.
public struct Policy: Sendable, Hashable {
  /// The id in the developer's case, as it is sent.
  public let id: String
  /// A name to show; the id when none was given.
  public let name: String
  /// What the policy does.
  public let kind: Kind
  /// The identity provider that the user goes to without choosing one, such as `facebook.com`.
  public let domainHint: String?

  /// The id in lower case, for comparing and for cache keys.
  public var key: String { id.lowercased() }

  /// Creates a policy of kind ``Kind/signUpOrSignIn`` from its id.
  ///
  /// The id's words mean nothing: Microsoft's own guides name a sign-in policy `B2C_1_susi_reset_v2`.
  ///
  /// - Parameter id: The id, such as `B2C_1_SignIn` or `B2C_1A_signup_signin`.
  /// - Throws: ``AuthorityError`` with code ``AuthorityError/Code/invalidPolicy`` when the id is empty, longer than 128
  ///   characters, or has characters that mean something else in a URL; with ``AuthorityError/Code/placeholder`` when
  ///   it is a template's placeholder.
  public init(_ id: String) throws(AuthorityError) {
    try self.init(id: id)
  }

  /// Creates a policy.
  ///
  /// - Parameters:
  ///   - id: The id, such as `B2C_1_SignIn` or `B2C_1A_signup_signin`.
  ///   - name: A name to show; the id when `nil` or empty.
  ///   - kind: What the policy does.
  ///   - domainHint: The identity provider that the user goes to without choosing one, such as `facebook.com`.
  /// - Throws: ``AuthorityError`` with code ``AuthorityError/Code/invalidPolicy`` when the id is empty, longer than 128
  ///   characters, or has characters that mean something else in a URL; with ``AuthorityError/Code/placeholder`` when
  ///   it is a template's placeholder.
  public init(
    id: String, name: String? = nil, kind: Kind = .signUpOrSignIn, domainHint: String? = nil
  ) throws(AuthorityError) {
    try Self.check(id)
    self.id = id
    self.name = name.flatMap { $0.isEmpty ? nil : $0 } ?? id
    self.kind = kind
    self.domainHint = domainHint
  }

  /// Compares the ids without regard to case.
  ///
  /// - Parameters:
  ///   - left: One policy.
  ///   - right: The other.
  /// - Returns: Whether both name the same policy.
  public static func == (left: Policy, right: Policy) -> Bool { left.key == right.key }

  /// Hashes the id without regard to case.
  ///
  /// - Parameter hasher: The hasher to feed.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(key)
  }
}

extension Policy: CustomStringConvertible {
  /// The id.
  public var description: String { id }
}

extension Policy {
  // Whatever separates the parts of a URL, or cannot stand in one.
  private static let forbidden = Set("/\\?#%&=:@\"|^`[]")
  private static let limit = 128

  private static func check(_ id: String) throws(AuthorityError) {
    let shown = ShownText.show(id)
    guard !id.unicodeScalars.allSatisfy(\.properties.isWhitespace) else {
      throw AuthorityError(
        .invalidPolicy, "The policy id is empty.", value: shown, recoverySuggestion: "Ids look like B2C_1_SignIn.")
    }
    guard !id.contains(where: { "<>{}".contains($0) }) else {
      throw AuthorityError(
        .placeholder, "The policy id is still the placeholder of a template.", value: shown,
        recoverySuggestion: "Put the id of your policy in its place, such as B2C_1_SignIn.")
    }
    guard id.count <= limit, id != ".", id != "..", isClean(id) else {
      throw AuthorityError(
        .invalidPolicy, "The policy id has characters that no policy has, or is longer than \(limit).", value: shown,
        suggestion: mended(id), recoverySuggestion: "Copy the id from the portal; it looks like B2C_1_SignIn.")
    }
  }

  private static func isClean(_ id: String) -> Bool {
    !id.contains(where: forbidden.contains)
      && id.unicodeScalars.allSatisfy { ShownText.isVisible($0) && !$0.properties.isWhitespace }
  }

  /// The id in a text with blanks around it, in `?p=…`, or in a whole URL.
  private static func mended(_ text: String) -> String? {
    let visible = text.keeping { ShownText.isVisible($0) && !$0.properties.isWhitespace }
    let query = visible.split(separator: "?", maxSplits: 1).last.map(String.init) ?? visible
    let parameter = FormEncoding.decode(query.prefix { $0 != "#" }).first { $0.name.lowercased() == "p" }?.value
    let segment = visible.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").first { hasPrefix(String($0)) }
    let candidate = parameter ?? segment.map(String.init) ?? visible
    let isRefused = ["", ".", "..", text].contains(candidate) || candidate.count > limit || !isClean(candidate)
    return isRefused ? nil : candidate
  }
}
