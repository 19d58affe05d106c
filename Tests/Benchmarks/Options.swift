import TestSupport

/// The arguments of the program.
struct Options: Sendable {
  /// The rows to run; all of them if it is empty.
  var only: Set<String> = []
  /// Whether to measure a third of the pairs and to leave out the rows that take minutes.
  var isCheck = false
  /// The file for the measurements, as JSON.
  var json: String?
  /// Whether to write the table into this directory's README.
  var writes = false
  /// The library that counts allocations, to be preloaded; `Tests/Benchmarks/run` builds it.
  var counter: String?

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    func value(_ name: String) throws -> String {
      guard let value = rest.popFirst() else { throw Failure("\(name) needs a value") }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--only": only.formUnion(try value(argument).split(separator: ",").map(String.init))
      case "--check": isCheck = true
      case "--json": json = try value(argument)
      case "--write": writes = true
      case "--counter": counter = try value(argument)
      default: throw Failure("unknown argument \(argument); \(Self.usage)")
      }
    }
    guard !writes || (only.isEmpty && !isCheck) else {
      throw Failure("--write publishes one run of the whole table: leave out --only and --check")
    }
  }

  private static let usage = "benchmarks [--only N,N] [--check] [--json FILE] [--write] [--counter LIBRARY]"

  /// Whether to run a row; one that `--only` names is never left out.
  func includes(_ row: Row) -> Bool {
    only.isEmpty ? !(isCheck && row.takesMinutes) : only.contains(row.number)
  }
}

/// Returns a value that a benchmark cannot go on without.
func require<Value>(_ value: Value?, _ name: String) throws -> Value {
  guard let value else { throw Failure("\(name) is missing") }
  return value
}
