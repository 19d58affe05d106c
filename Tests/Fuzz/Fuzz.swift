import B2CCore
import Dispatch
import Foundation

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

  init(_ description: String) { self.description = description }
}

/// Throws when a condition does not hold.
func expect(_ condition: Bool, _ promise: @autoclosure () -> String) throws {
  if !condition { throw Broken(promise()) }
}

/// Secrets that no text from outside may show: whole in any case, or eight percent-encoded bytes of one.
struct HiddenSecrets: Sendable {
  private let whole: [Data]
  private let escaped: [Data]

  init(_ secrets: String...) {
    let secrets = secrets.map { $0.lowercased() }
    whole = secrets.map { Data($0.utf8) }
    escaped = secrets.flatMap { secret in
      let bytes = secret.utf8.map { "%" + String($0, radix: 16) }
      return (0...(bytes.count - 8)).map { Data(bytes[$0..<($0 + 8)].joined().utf8) }
    }
  }

  /// Throws if a text shows one.
  func check(_ text: String) throws {
    let bytes = Data(text.lowercased().utf8)
    let forms = bytes.contains(UInt8(ascii: "%")) ? whole + escaped : whole
    try expect(!forms.contains { bytes.range(of: $0) != nil }, "a secret is shown in: \(text.prefix(400))")
  }

  /// Returns what a parser makes of an input, or `nil` if it throws an error of this package, which is checked.
  func value<Value>(_ parse: () throws -> Value) throws -> Value? {
    do {
      return try parse()
    } catch let error as ConnectorError {
      try check(error)
      return nil
    }
  }

  /// Throws if an error can be made to print a secret, or prints a control character.
  func check(_ error: ConnectorError) throws {
    try check(printed(error))
    try expect(isPrintable("\(error)"), "a control character is shown")
  }
}

/// Everything that an error can be made to print.
func printed(_ error: any Error) -> String {
  var text = "\(error) \(error.localizedDescription) "
  dump(error, to: &text)
  return text
}

/// Whether a text has no control characters.
func isPrintable(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } }

/// Runs asynchronous work to its end, as libFuzzer calls a plain function.
func waiting<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
  let (done, value) = (DispatchSemaphore(value: 0), Locked<Value?>(nil))
  Task.detached {
    let result = await body()
    value.withLock { $0 = result }
    done.signal()
  }
  done.wait()
  return value.withLock { $0 }
}
