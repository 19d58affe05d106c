/// What the library calls itself on the wire.
enum Library {
  static let name = "B2CConnector"
  static let version = "0.1.0"
}
