#if os(macOS) || os(Linux)
  /// What the browser's driver refused, or why there is none.
  struct WebDriverError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
      self.description = description
    }
  }
#endif
