extension SettingsProblem {
  /// What is wrong, as a name that a tool can act on.
  ///
  /// The list is open: a later version may find more.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The name of the kind.
    public let rawValue: String

    /// Makes a kind from its name.
    ///
    /// - Parameter rawValue: The name of the kind.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }
}

// The file as a whole.
extension SettingsProblem.Kind {
  /// There is no such file or resource.
  public static let fileNotFound = Self(rawValue: "fileNotFound")
  /// The file is there and cannot be read, or is no regular file.
  public static let fileUnreadable = Self(rawValue: "fileUnreadable")
  /// The file is larger than 64 KiB.
  public static let fileTooLarge = Self(rawValue: "fileTooLarge")
  /// The file has no content.
  public static let emptyFile = Self(rawValue: "emptyFile")
  /// The file is neither an XML or binary property list nor JSON.
  public static let notAPropertyList = Self(rawValue: "notAPropertyList")
  /// The file breaks the rules of XML, of JSON or of binary property lists.
  public static let malformed = Self(rawValue: "malformed")
  /// The text is neither UTF-8 nor UTF-16.
  public static let unsupportedEncoding = Self(rawValue: "unsupportedEncoding")
  /// The XML declares entities or rules of its own.
  public static let documentTypeDefinition = Self(rawValue: "documentTypeDefinition")
  /// Lists and dictionaries stand in each other more than 32 deep.
  public static let nestingTooDeep = Self(rawValue: "nestingTooDeep")
  /// A binary file refers to the same values so often that it would fill the memory.
  public static let tooManyValues = Self(rawValue: "tooManyValues")
  /// The outermost value is no dictionary.
  public static let notADictionary = Self(rawValue: "notADictionary")
}

// Any key.
extension SettingsProblem.Kind {
  /// A key that has to be there is not.
  public static let missingKey = Self(rawValue: "missingKey")
  /// A key has a blank value.
  public static let emptyValue = Self(rawValue: "emptyValue")
  /// A value has another type than its key asks for.
  public static let wrongType = Self(rawValue: "wrongType")
  /// A value is still the text of a template.
  public static let placeholder = Self(rawValue: "placeholder")
  /// A value has quotation marks around it, as code has and files have not.
  public static let quotedValue = Self(rawValue: "quotedValue")
  /// A value has a control character or a line break inside.
  public static let controlCharacter = Self(rawValue: "controlCharacter")
  /// A key appears twice.
  public static let duplicateKey = Self(rawValue: "duplicateKey")
  /// A key has no meaning here; perhaps another one was meant.
  public static let unknownKey = Self(rawValue: "unknownKey")
  /// A key was read by the tutorial's code and has no effect any more.
  public static let unusedKey = Self(rawValue: "unusedKey")
  /// A client secret stands in a file that ships with an app (RFC 8252 section 8.5).
  public static let clientSecret = Self(rawValue: "clientSecret")
}

// Single keys.
extension SettingsProblem.Kind {
  /// The authority is refused by ``Authority``.
  public static let invalidAuthority = Self(rawValue: "invalidAuthority")
  /// The authority's host seems to belong to another tenant than its path.
  public static let unusualTenant = Self(rawValue: "unusualTenant")
  /// The authority's host no longer runs policies.
  public static let retiredAuthority = Self(rawValue: "retiredAuthority")
  /// The client ID is no GUID.
  public static let invalidClientID = Self(rawValue: "invalidClientID")
  /// A scope has characters that no scope may have (RFC 6749 section 3.3).
  public static let invalidScope = Self(rawValue: "invalidScope")
  /// No scope names an API, so that no access token would be issued.
  public static let noAPIScope = Self(rawValue: "noAPIScope")
  /// No presenter can come back from the redirect URI.
  public static let invalidRedirectURI = Self(rawValue: "invalidRedirectURI")
  /// The redirect URI is the out-of-band one, which only pasting by hand can serve.
  public static let outOfBandRedirectURI = Self(rawValue: "outOfBandRedirectURI")
  /// The redirect URI is a web page for trying things out, which gives the answer to no app.
  public static let foreignRedirectURI = Self(rawValue: "foreignRedirectURI")
  /// The redirect URI's own scheme has no dot, so that another app may have the same (RFC 8252 section 7.1).
  public static let ambiguousRedirectScheme = Self(rawValue: "ambiguousRedirectScheme")
  /// A value is no URL, or no URL of a kind that can be called.
  public static let invalidURL = Self(rawValue: "invalidURL")
  /// A URL has its port at the end of the path.
  public static let portInPath = Self(rawValue: "portInPath")
  /// A URL sends tokens over http to another machine.
  public static let insecureURL = Self(rawValue: "insecureURL")
  /// A URL carries a user name or a password.
  public static let userInfoInURL = Self(rawValue: "userInfoInURL")
  /// A policy is refused by ``Policy``.
  public static let invalidPolicy = Self(rawValue: "invalidPolicy")
  /// A policy is listed twice.
  public static let duplicatePolicy = Self(rawValue: "duplicatePolicy")
  /// A policy's id lacks the prefix that Azure AD B2C gives to every policy.
  public static let unusualPolicyPrefix = Self(rawValue: "unusualPolicyPrefix")
  /// A policy's kind is none of the known names.
  public static let unknownPolicyKind = Self(rawValue: "unknownPolicyKind")
  /// Policies are given for an authority that runs none.
  public static let unexpectedPolicy = Self(rawValue: "unexpectedPolicy")
  /// The authority runs policies and none is named.
  public static let noPolicy = Self(rawValue: "noPolicy")
  /// The correlation ID is no UUID.
  public static let invalidCorrelationID = Self(rawValue: "invalidCorrelationID")
  /// Settings made in code have a value that no file can hold, such as one with blanks around it.
  public static let notWritable = Self(rawValue: "notWritable")
}
