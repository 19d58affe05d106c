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
    var arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first, let command = commands.first(where: { $0.name == name }) else {
      showHelp()
      exit(CommandLine.arguments.dropFirst().first.map { $0 == "--help" || $0 == "help" } == true ? 0 : 64)
    }
    arguments.removeFirst()
    do {
      exit(try await command.run(ProofOptions(arguments)) ? 0 : 1)
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

  /// Runs the proof and prints its table.
  ///
  /// - Parameter options: The words after the name.
  /// - Returns: Whether every promise held.
  /// - Throws: The error because of which the proof could not run.
  static func run(_ options: ProofOptions) async throws -> Bool
}

extension ProofCommand {
  static var summary: String { "" }

  /// The last cell of a table's row.
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

  init(_ arguments: [String]) {
    values = arguments.filter { !$0.hasPrefix("--") }
    flags = Set(arguments.filter { $0.hasPrefix("--") })
  }

  /// The short form was asked for.
  var isQuick: Bool { flags.contains("--quick") }

  /// The folder that a worker is given first.
  var folder: URL { get throws { URL(fileURLWithPath: try value(0, "the folder"), isDirectory: true) } }

  /// The value at a place, or an error that says what is missing.
  func value(_ index: Int, _ name: String) throws -> String {
    guard index < values.count else { throw ProofError("\(name) is missing") }
    return values[index]
  }

  /// The number at a place.
  func number(_ index: Int, _ name: String) throws -> Int {
    let text = try value(index, name)
    guard let number = Int(text) else { throw ProofError("\(name) is no number: \(text)") }
    return number
  }
}

/// The reason why a proof could not be run.
struct ProofError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
