/// What is wrong with a text while it is read, before it is known how much of it may be shown.
struct Defect: Error {
  let code: AuthorityError.Code
  let message: String
  /// The text with this one fault mended; it may have others and is never shown before it was read itself.
  let mended: String?
  let recovery: String?

  init(_ code: AuthorityError.Code, _ message: String, mended: String? = nil, recovery: String? = nil) {
    self.code = code
    self.message = message
    self.mended = mended
    self.recovery = recovery
  }
}
