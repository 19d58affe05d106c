/// One thing that every token cache owes its callers.
public struct TokenCacheRule: RawRepresentable, Sendable, Hashable {
  /// The rule in words.
  public let rawValue: String

  /// Names a rule.
  ///
  /// - Parameter rawValue: The rule in words.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Looking up or removing what is not there is no error.
  public static let absence = TokenCacheRule(rawValue: "what is not there reads as nil and can be removed")
  /// A stored record is read back.
  public static let reading = TokenCacheRule(rawValue: "a stored record is read back as it was")
  /// A second record takes the place of the first as a whole.
  public static let overwriting = TokenCacheRule(rawValue: "a record replaces the one before it as a whole")
  /// A removed record is gone.
  public static let removing = TokenCacheRule(rawValue: "a removed record is gone, and only that one")
  /// The list of keys is right.
  public static let listing = TokenCacheRule(rawValue: "keys() lists the key of each record once and no other")
  /// Keys that differ in one part are different.
  public static let distinctKeys = TokenCacheRule(rawValue: "keys that differ in one part have records of their own")
  /// Many records are all kept.
  public static let manyKeys = TokenCacheRule(rawValue: "hundreds of records are kept side by side")
  /// No character of a key has a meaning.
  public static let oddCharacters = TokenCacheRule(rawValue: "a key may hold any characters")
  /// Keys may be long.
  public static let longKeys = TokenCacheRule(rawValue: "a key may be a thousand characters long")
  /// Values may be large.
  public static let largeValues = TokenCacheRule(rawValue: "a token may be hundreds of kilobytes long")
  /// Every member of a record is kept.
  public static let everyMember = TokenCacheRule(rawValue: "every member of a record is kept, dates to the millisecond")
  /// Members of newer versions are kept.
  public static let unknownMembers = TokenCacheRule(rawValue: "members that this version does not know are kept")
  /// Several callers at once do no harm.
  public static let concurrentUse = TokenCacheRule(rawValue: "callers at the same time never mix or lose records")
  /// Another instance over the same store sees the same.
  public static let sharing = TokenCacheRule(rawValue: "another instance over the same store sees every change")
  /// A failing store is an error and not an absence.
  public static let failing = TokenCacheRule(rawValue: "a store that cannot be reached is an error, not an empty cache")
  /// Exclusive access keeps others out.
  public static let exclusivity = TokenCacheRule(rawValue: "exclusive access lets one caller in at a time")
  /// The cache can be used inside exclusive access.
  public static let useInside = TokenCacheRule(rawValue: "the key can be read and stored inside its exclusive access")
  /// A record's key can be taken inside the access that is held while its refresh token is spent.
  public static let nesting = TokenCacheRule(
    rawValue: "a key's own exclusive access can be had inside that of its forSpending")
  /// Exclusive access ends with its body, however that ends.
  public static let release = TokenCacheRule(
    rawValue: "exclusive access passes on what its body returns or throws, and ends with it")
}
