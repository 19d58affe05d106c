import Foundation

#if canImport(Glibc)
  import Glibc
#endif

#if LIBFUZZER
  /// Checks one input.
  ///
  /// The `main` function is in libFuzzer, which calls this function.
  ///
  /// - Parameters:
  ///   - start: The first byte.
  ///   - count: The number of bytes.
  /// - Returns: Always 0, as libFuzzer wants it.
  @_cdecl("LLVMFuzzerTestOneInput")
  public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    do {
      try FuzzTarget.selected.check(input)
      try Growth.check(FuzzTarget.selected, with: input)
    } catch {
      // libFuzzer writes the input to a file when the process aborts.
      FileHandle.standardError.write(Data("BROKEN  \(FuzzTarget.selected.name): \(error)\n".utf8))
      abort()
    }
    return 0
  }

  extension FuzzTarget {
    /// The target that the environment names.
    static let selected: FuzzTarget = {
      let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
      guard let target = all.first(where: { $0.name == name }) else {
        let names = all.map(\.name).joined(separator: ", ")
        FileHandle.standardError.write(Data("FUZZ_TARGET is not one of \(names)\n".utf8))
        exit(64)
      }
      return target
    }()
  }
#else
  /// `B2C_FUZZ=1 swift run fuzz`: checks every input of the corpus, without libFuzzer and in the build of the tests.
  ///
  /// It ends with 1 if an input breaks a promise or takes longer than 30 seconds, and a trap ends it by itself.
  @main
  struct Corpus {
    static func main() throws {
      let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus")
      var broken = try Set(FileManager.default.contentsOfDirectory(atPath: corpus.path))
        .symmetricDifference(FuzzTarget.all.map(\.name)).map { "\($0): a directory without a target, or the reverse" }
      for target in FuzzTarget.all {
        let directory = corpus.appendingPathComponent(target.name)
        let files = (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        if files.isEmpty { broken.append("\(target.name): no inputs") }
        for file in files {
          let input = [UInt8](try Data(contentsOf: file))
          let start = ContinuousClock.now
          do {
            try target.check(input)
            try Growth.check(target, with: input)
          } catch {
            broken.append("\(target.name), \(file.lastPathComponent): \(error)")
          }
          let time = start.duration(to: .now)
          if time > .seconds(30) { broken.append("\(target.name), \(file.lastPathComponent): took \(time)") }
        }
        print("\(target.name): \(files.count) inputs")
      }
      for line in broken { print("BROKEN  \(line)") }
      exit(broken.isEmpty ? 0 : 1)
    }
  }
#endif
