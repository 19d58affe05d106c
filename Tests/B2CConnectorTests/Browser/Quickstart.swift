#if os(macOS) || os(Linux)
  import Foundation

  /// The example program.
  enum Quickstart {
    /// Where the build puts it: beside the tests; `nil` when it is not built.
    static let program: URL? = {
      let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("quickstart")
      return FileManager.default.isExecutableFile(atPath: program.path) ? program : nil
    }()
  }
#endif
