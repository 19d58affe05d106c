public import B2COAuth

extension JWSAlgorithm {
  /// No signature at all: for tokens that must be refused.
  public static let none = JWSAlgorithm(rawValue: "none")
}
