#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

extension TerminalProgress {
  /// Whether standard error is a terminal, and not a file or another program.
  public static var isStandardErrorTerminal: Bool { isatty(2) == 1 }
}
