#if os(macOS)
  extension BrowserOpening {
    static let systemProgram = "open"
  }
#endif
