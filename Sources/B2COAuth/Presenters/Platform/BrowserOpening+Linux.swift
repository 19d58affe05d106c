#if os(Linux)
  extension BrowserOpening {
    static let systemProgram = "xdg-open"
  }
#endif
