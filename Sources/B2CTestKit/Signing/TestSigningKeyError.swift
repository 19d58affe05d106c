/// Why a test key could not be made or used.
public enum TestSigningKeyError: Error, Sendable, Hashable {
  /// The system refused to make a key.
  case cannotMakeKey
  /// The system refused to sign.
  case cannotSign
  /// There is no key of that algorithm.
  case unsupportedAlgorithm
}
