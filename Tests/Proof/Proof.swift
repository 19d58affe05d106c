import B2CTestKit
import Foundation
import TestSupport

/// `swift run proof <command> [--quick]` shows what tests cannot, because processes must die or meet.
///
/// Each proof prints a table and ends with 0 when every promise held, with 1 when one was broken.
@main
struct Proof {
  /// Every proof; a new one is a type in a file of its own, and a line here.
  static var commands: [any ProofCommand.Type] {
    [
      ConformanceProof.self, CrashProof.self, ProcessesProof.self, FaultsProof.self, PauseProof.self,
      // What the proofs start as processes of their own:
      CrashWriter.self, ProcessWorker.self, RefreshWorker.self, PauseWorker.self, ApartCell.self,
    ] + ProofCache.proofs
  }

  static func main() async {
    let name = CommandLine.arguments.dropFirst().first ?? ""
    guard let command = commands.first(where: { $0.name == name }) else {
      showHelp()
      exit(["--help", "help"].contains(name) ? 0 : 64)
    }
    do {
      exit(try await command.run(ProofOptions(CommandLine.arguments.dropFirst(2))) ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("proof \(name): \(error)\n".utf8))
      exit(2)
    }
  }

  private static func showHelp() {
    print("swift run proof <command> [--quick]\n")
    for command in commands where !command.summary.isEmpty {
      print("  \(command.name.padding(toLength: 16, withPad: " ", startingAt: 0))\(command.summary)")
    }
    print("\n  --quick    a short form, for every change")
  }
}

/// A proof, or a part of a proof that runs as a process of its own.
protocol ProofCommand: Sendable {
  /// The word after `swift run proof`.
  static var name: String { get }
  /// A line for the help, or nothing if only a proof starts it.
  static var summary: String { get }

  /// Runs the proof, prints its table, and returns whether every promise held.
  static func run(_ options: ProofOptions) async throws -> Bool
}

extension ProofCommand {
  static var summary: String { "" }

  static func verdict(_ broken: [String]) -> String { broken.isEmpty ? "kept" : "BROKEN" }

  /// Prints a table and the first promises that were broken, and returns whether there were none.
  static func report(_ table: Table, _ broken: [String]) -> Bool {
    table.show()
    for finding in broken.prefix(10) { print("BROKEN  \(finding)") }
    return broken.isEmpty
  }
}

/// The words after a proof's name: values in order, and flags.
struct ProofOptions: Sendable {
  let values: [String]
  let flags: Set<String>

  init(_ arguments: ArraySlice<String>) {
    values = arguments.filter { !$0.hasPrefix("--") }
    flags = Set(arguments.filter { $0.hasPrefix("--") })
  }

  var isQuick: Bool { flags.contains("--quick") }

  /// The folder that a worker is given first.
  var folder: URL { get throws { URL(fileURLWithPath: try value(0, "the folder"), isDirectory: true) } }

  /// The value at a place, or an error that says what is missing.
  func value(_ index: Int, _ name: String) throws -> String {
    guard index < values.count else { throw Failure("\(name) is missing") }
    return values[index]
  }

  func number(_ index: Int, _ name: String) throws -> Int {
    let text = try value(index, name)
    guard let number = Int(text) else { throw Failure("\(name) is no number: \(text)") }
    return number
  }
}

/// Holds the cache under proof to every rule of the test kit's suite.
struct ConformanceProof: ProofCommand {
  static let name = "conformance"
  static let summary = "every rule of the test kit's suite for token caches"

  static func run(_ options: ProofOptions) async throws -> Bool {
    let folder = try TemporaryDirectory("conformance")
    defer { folder.remove() }
    // The suite looks at one cache after the other, so the second instance is one of the last that was made.
    let last = Locked(folder.url)
    let broken = try await TokenCacheConformance.brokenRules(
      makeSecondInstance: { _ in try ProofCache.open(last.withLock { $0 }) },
      makeCache: { [folder = folder.url] in
        let url = folder.appendingPathComponent(UUID().uuidString)
        last.withLock { $0 = url }
        return try ProofCache.open(url)
      })
    var table = Table("rules broken", "")
    table.add("\(broken.count)", verdict(broken))
    return report(table, broken)
  }
}
