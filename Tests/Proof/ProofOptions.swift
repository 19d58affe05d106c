/// What is written after a proof's name: values in order, and flags.
struct ProofOptions: Sendable {
  let values: [String]
  let flags: Set<String>

  init(_ arguments: [String]) {
    values = arguments.filter { !$0.hasPrefix("--") }
    flags = Set(arguments.filter { $0.hasPrefix("--") })
  }

  /// The short form was asked for.
  var isQuick: Bool { flags.contains("--quick") }
  /// The proof shall be run on something that breaks its promises.
  var isBroken: Bool { flags.contains("--broken") }

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

/// Why a proof could not be run.
struct ProofError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
