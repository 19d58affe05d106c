extension TestSigningKey {
  // Made once in a process, because RSA keys are slow to make in a debug build and every tenant needs one.
  private static let sharedRSA: [TestSigningKey] = (0..<2).compactMap { _ in try? TestSigningKey(.rs256) }

  /// The key that new tenants sign with; `nil` when the system could make none.
  static var shared: TestSigningKey? { sharedRSA.first }

  /// The key of a stranger: right in kind, published nowhere.
  static var foreign: TestSigningKey? { sharedRSA.last }
}
