/// A rule that every token cache has to keep.
public struct TokenCacheRule: RawRepresentable, Sendable, Hashable {
  /// The rule as a sentence.
  public let rawValue: String

  /// Creates a rule.
  ///
  /// - Parameter rawValue: The rule as a sentence.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// Looking up or removing what is not there is not an error.
  public static let absence = TokenCacheRule(rawValue: "what is not there reads as nil and can be removed")
  /// A stored record is read back.
  public static let reading = TokenCacheRule(rawValue: "a stored record is read back as it was")
  /// A second record replaces the first as a whole.
  public static let overwriting = TokenCacheRule(rawValue: "a record replaces the one before it as a whole")
  /// A removed record is gone.
  public static let removing = TokenCacheRule(rawValue: "a removed record is gone, and only that one")
  /// The list of keys is right.
  public static let listing = TokenCacheRule(rawValue: "keys() lists the key of each record once and no other")
  /// Keys that differ in one byte are different.
  public static let distinctKeys = TokenCacheRule(
    rawValue: "keys that differ in one part, in case or in code points have separate records")
  /// Many records are all kept.
  public static let manyKeys = TokenCacheRule(rawValue: "hundreds of records are kept side by side")
  /// No character of a key has a meaning.
  public static let oddCharacters = TokenCacheRule(rawValue: "a key may hold any characters")
  /// Keys may be long.
  public static let longKeys = TokenCacheRule(rawValue: "a key may be a thousand characters long")
  /// Values may be large.
  public static let largeValues = TokenCacheRule(rawValue: "a token may be hundreds of kilobytes long")
  /// Every field of a record is kept.
  public static let everyField = TokenCacheRule(rawValue: "every field of a record is kept, dates to the millisecond")
  /// Fields of newer versions are kept.
  public static let unknownFields = TokenCacheRule(
    rawValue: "a record is stored as it encodes itself, with fields that this version does not know")
  /// Several callers at once do no harm.
  public static let concurrentUse = TokenCacheRule(rawValue: "callers at the same time never mix or lose records")
  /// Another instance over the same store sees the same.
  public static let sharing = TokenCacheRule(rawValue: "another instance over the same store sees every change")
  /// A failing store is an error and not an absence.
  public static let failing = TokenCacheRule(rawValue: "a store that cannot be reached is an error, not an empty cache")
  /// An update stores, replaces or removes what its change returns.
  public static let updating = TokenCacheRule(
    rawValue: "an update keeps and returns the record that its change returns")
  /// Nothing comes between an update's reading and its writing.
  public static let atomicUpdates = TokenCacheRule(rawValue: "updates of one record are atomic: none is lost")
  /// The refresh lock keeps others out.
  public static let refreshLock = TokenCacheRule(rawValue: "a refresh lock lets one caller in at a time")
  /// The refresh lock does not lock the record.
  public static let useInside = TokenCacheRule(
    rawValue: "a record can be read, stored, updated and removed while its refresh lock is held, by any caller")
  /// A waiter that is cancelled leaves the queue.
  public static let cancellation = TokenCacheRule(
    rawValue: "a caller that is cancelled while it waits for a refresh lock leaves, and its body does not run")
  /// The refresh lock ends with its body, however that ends.
  public static let release = TokenCacheRule(
    rawValue: "a refresh lock passes on what its body returns or throws, and ends with it")
}

/// A rule that a token cache breaks, with what was seen.
public struct BrokenTokenCacheRule: Sendable, Hashable, CustomStringConvertible {
  /// The rule.
  public let rule: TokenCacheRule
  /// What happened instead.
  public let observation: String

  /// The rule and what happened instead.
  public var description: String { "Broken: \(rule.rawValue). Seen: \(observation)" }
}
