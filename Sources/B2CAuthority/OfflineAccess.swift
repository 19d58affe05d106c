/// When a sign-in asks for `offline_access`, the scope that brings a refresh token (OpenID Connect Core 1.0 section 11).
///
/// The raw values are those of the key `offlineAccess` of a settings file.
public enum OfflineAccess: String, Sendable, Hashable, CaseIterable {
  /// At Microsoft's services always, elsewhere where the provider's metadata lists it or the scopes name it.
  case automatic
  /// Never, even where the scopes name it: there is no refresh token, and a session lasts as long as its access token.
  case never
  /// Always, together with `prompt=consent`, for providers that grant it with consent only.
  ///
  /// A sign-in with another prompt leaves both out, unless that prompt includes `consent`, as `login consent` does.
  case withConsent
}
