/// The OpenID Connect `prompt` parameter of a sign-in (Core 3.1.2.1).
///
/// An open value: a service may know others, and Azure AD B2C documents `login` only.
public struct Prompt: RawRepresentable, Sendable, Hashable {
  /// The value as it is sent.
  public var rawValue: String

  /// Makes a prompt from the value as it is sent.
  ///
  /// - Parameter rawValue: The value.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Nothing is sent, so that the server decides.
  public static let automatic = Prompt(rawValue: "")
  /// Ask for credentials, whether or not there is a session.
  public static let login = Prompt(rawValue: "login")
  /// Let the user choose an account.
  public static let selectAccount = Prompt(rawValue: "select_account")
  /// Ask for consent.
  public static let consent = Prompt(rawValue: "consent")
  /// Show nothing; without a session the answer is an error.
  public static let none = Prompt(rawValue: "none")
  /// Offer to make an account (Initiating User Registration via OpenID Connect 1.0).
  public static let create = Prompt(rawValue: "create")
}
