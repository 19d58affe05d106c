/// What was written after the program's name.
struct Options: Sendable {
  /// The rows to run; all when empty.
  var only: Set<String> = []
  /// Every row once and short: what it shows is that the rows run and that the exact counts hold.
  var isQuick = false
  /// The file that keeps the last measurement of each row.
  var json: String?
  /// Whether to write the tables of the JSON file into this directory's README.
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
      case "--quick": isQuick = true
      case "--json": json = try value(argument)
      case "--write": writes = true
      case "--counter": counter = try value(argument)
      default: throw Failure("unknown argument \(argument); \(Self.usage)")
      }
    }
    guard !writes || json != nil else {
      throw Failure("--write takes its figures from a JSON file: add --json FILE")
    }
    guard !writes || !isQuick else {
      throw Failure("--quick brings no figures that could be published: leave out --quick or --write")
    }
  }

  private static let usage = "benchmarks [--only N,N] [--quick] [--json FILE [--write]] [--counter LIBRARY]"
}

/// Why a benchmark could not be run.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Returns a value that a benchmark cannot go on without.
func require<Value>(_ value: Value?, _ name: String) throws -> Value {
  guard let value else { throw Failure("\(name) is missing") }
  return value
}
