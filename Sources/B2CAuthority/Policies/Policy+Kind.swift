extension Policy {
  /// What a policy does for the user, as an open set.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind's stable name.
    public var rawValue: String

    /// Makes a kind from its stable name.
    ///
    /// - Parameter rawValue: The name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// Makes a new account.
    public static let signUp = Self(rawValue: "signUp")
    /// Signs in with an account of the tenant's own.
    public static let signIn = Self(rawValue: "signIn")
    /// Signs in, or makes a new account first.
    public static let signUpOrSignIn = Self(rawValue: "signUpOrSignIn")
    /// Changes what the account says about the user.
    public static let profileEdit = Self(rawValue: "profileEdit")
    /// Gives a forgotten password anew.
    public static let passwordReset = Self(rawValue: "passwordReset")
    /// Signs in with an account of somebody else: Facebook, Google, a company.
    public static let federatedSignIn = Self(rawValue: "federatedSignIn")
  }
}

extension Policy.Kind {
  private static let providers: Set<String> = [
    "facebook", "google", "apple", "github", "twitter", "linkedin", "amazon", "microsoft", "msa", "wechat", "weibo",
    "qq", "saml", "federated", "social",
  ]

  /// Guesses what a policy does from the words of its id.
  ///
  /// The prefix (`B2C_1_`, `B2C_1A_`) is left out; words end at `_`, `-`, `.` and where a capital follows a small
  /// letter. The first rule that fits decides: *reset* or *forgot* is a password reset; *edit*, *editing* or *profile* a
  /// profile edit; the name of an identity provider a federated sign-in; *sign up* together with *sign in* (or `susi`)
  /// a sign-up or sign-in; *sign up* or *register* a sign-up; *sign in*, *log in* or *log on* a sign-in. Without any of
  /// these it is a sign-up or sign-in, which the portal recommends.
  ///
  /// - Parameter id: The policy's id.
  public init(guessedFrom id: String) {
    let words = Self.words(of: id)
    let whole = words.joined()
    let signsUp = whole.contains("signup") || !words.isDisjoint(with: ["register", "registration"])
    let signsIn = ["signin", "login", "logon"].contains { whole.contains($0) }
    if !words.isDisjoint(with: ["reset", "forgot", "forgotten"]) || whole.contains("passwordreset")
      || whole.contains("resetpassword")
    {
      self = .passwordReset
    } else if !words.isDisjoint(with: ["edit", "editing", "profile"]) || whole.contains("profileedit")
      || whole.contains("editprofile")
    {
      self = .profileEdit
    } else if !words.isDisjoint(with: Self.providers) {
      self = .federatedSignIn
    } else if signsUp != signsIn, words.isDisjoint(with: ["susi", "sisu"]) {
      self = signsUp ? .signUp : .signIn
    } else {
      self = .signUpOrSignIn
    }
  }

  private static func words(of id: String) -> [String] {
    let key = id.lowercased()
    let prefix = ["b2c_1a_", "b2c_1_"].first { key.hasPrefix($0) } ?? ""
    var words: [String] = []
    var word = ""
    var wasSmall = false
    for character in id.dropFirst(prefix.count) {
      if "_-.".contains(character) || (wasSmall && character.isUppercase) {
        words.append(word)
        word = ""
      }
      wasSmall = character.isLowercase
      if !"_-.".contains(character) { word += character.lowercased() }
    }
    return (words + [word]).filter { !$0.isEmpty }
  }
}

extension [String] {
  fileprivate func isDisjoint(with others: Set<String>) -> Bool { others.isDisjoint(with: self) }
}
