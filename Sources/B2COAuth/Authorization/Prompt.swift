/// The OpenID Connect `prompt` parameter of a sign-in (OpenID Connect Core section 3.1.2.1).
///
/// You can use other values that your provider documents. Azure AD B2C documents `login` only. See <doc:SignIn>.
public struct Prompt: RawRepresentable, Sendable, Hashable {
  /// The value that is sent.
  public var rawValue: String

  /// Creates a prompt from the value that is sent.
  ///
  /// - Parameter rawValue: The value that is sent, for example `login`.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Sends no `prompt`, so that the provider decides.
  public static let automatic = Prompt(rawValue: "")
  /// Asks for the credentials again, even if the browser has a session.
  public static let login = Prompt(rawValue: "login")
  /// Lets the user choose an account.
  public static let selectAccount = Prompt(rawValue: "select_account")
  /// Asks for the user's consent.
  public static let consent = Prompt(rawValue: "consent")
  /// Shows no page, so that the sign-in fails if the browser has no session.
  public static let none = Prompt(rawValue: "none")
  /// Offers to create an account (Initiating User Registration via OpenID Connect 1.0).
  public static let create = Prompt(rawValue: "create")
}
