import Foundation

/// Standard output: colours and cut lines on a terminal, plain and whole lines in a file or pipe.
struct Terminal: Sendable {
  /// How a part of a line looks on a terminal.
  enum Style: String {
    case plain = ""
    case bold = "1"
    case dim = "2"
    case good = "32"
    case bad = "31"
  }

  private let width: Int?
  private let hasColour: Bool

  /// Looks at where standard output goes.
  init() {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDOUT_FILENO) == 1
    width = isTerminal ? Self.columns : nil
    hasColour = isTerminal && environment["TERM"] != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
  }

  /// Writes a line of styled parts, cut to the terminal's width.
  func line(_ parts: (Style, String)...) {
    var left = width ?? .max
    var text = ""
    for (style, part) in parts where left > 0 {
      var shown = Self.printable(part)
      if shown.count > left { shown = shown.prefix(left - 1) + "…" }
      left -= shown.count
      text += hasColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(shown)\u{1B}[0m" : shown
    }
    Self.write(text, to: .standardOutput)
  }

  /// Writes a line at once, so that it precedes an error that follows; a closed pipe is not a reason to fail.
  static func write(_ line: String, to file: FileHandle) {
    try? file.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Whether standard error is a terminal whose last line can be written again.
  static var rewritesLines: Bool {
    isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  /// Writes a text in place of the last line of the terminal.
  static func rewriteLine(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
  }

  /// Names and titles come from a server: what would move the cursor is replaced.
  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

  private static var columns: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
    return Int(size.ws_col)
  }
}
