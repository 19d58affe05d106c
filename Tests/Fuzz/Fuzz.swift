import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#endif

/// A parser of data from outside, with a check that every input must pass.
///
/// A trap, an input that takes seconds and memory without limit are found by libFuzzer itself.
struct FuzzTarget: Sendable {
  /// The name after `FUZZ_TARGET=`.
  let name: String
  /// The size at which the growth check starts.
  ///
  /// Eight times as much must be below the parser's own limit.
  var growthSize = 4 << 10
  /// Parses an input and does nothing else, for the growth check.
  let parse: @Sendable ([UInt8]) -> Void
  /// Parses an input and checks the result, or throws ``Broken``.
  let check: @Sendable ([UInt8]) throws -> Void

  /// Every target.
  ///
  /// Each has a directory in `Corpus`.
  static let all: [FuzzTarget] = [
    settings, authority, callback, json, answers, tokens, cache, headers, heads, tasks,
  ]
}

/// A promise that an input broke.
struct Broken: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Throws when a condition does not hold.
func expect(_ condition: Bool, _ promise: @autoclosure () -> String) throws {
  if !condition { throw Broken(promise()) }
}

/// Throws when a text shows eight bytes in a row of a secret, in any case or encoding.
func expectHidden(_ secrets: SecretSearch, in text: String) throws {
  guard let trace = secrets.trace(in: text.utf8) else { return }
  throw Broken("a secret is shown, \(trace), in: \(text.prefix(400))")
}

extension SecretSearch {
  /// A search for what texts from outside are cleared of: pieces of eight bytes, as they are and percent-encoded.
  static func whole(_ secrets: String...) -> SecretSearch {
    SecretSearch(secrets, width: secrets.map(\.utf8.count).min() ?? 0, findsEncoded: false)
  }
}

/// Runs asynchronous work to its end, as libFuzzer calls a plain function.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
  let outcome = Outcome<Value>()
  Task.detached {
    outcome.set(await body())
  }
  return outcome.wait()
}

/// The value of a task, for a thread that waits.
private final class Outcome<Value: Sendable>: Sendable {
  private let condition = NSCondition()
  nonisolated(unsafe) private var value: Value?

  func set(_ value: Value) {
    condition.withLock {
      self.value = value
      condition.signal()
    }
  }

  func wait() -> Value {
    condition.withLock {
      while true {
        if let value { return value }
        condition.wait()
      }
    }
  }
}
