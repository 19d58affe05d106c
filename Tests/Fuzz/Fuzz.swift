import B2CCore
import Dispatch
import Foundation
import TestSupport

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
  /// Parses an input and checks the result, or throws ``Failure``.
  let check: @Sendable ([UInt8]) throws -> Void

  /// Every target.
  ///
  /// Each has a directory in `Corpus`.
  static let all: [FuzzTarget] = [
    settings, authority, callback, json, answers, tokens, cache, headers, heads, tasks,
  ]
}

/// Throws when a condition does not hold.
func expect(_ condition: Bool, _ promise: @autoclosure () -> String) throws {
  if !condition { throw Failure(promise()) }
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

/// The check that time grows in proportion to an input.
///
/// A piece of the input is repeated: the input with it repeated to a size, and to eight times that size. Quadratic work is
/// 64 times as much, linear work 8 times.
enum Growth {
  private static let factor = 8
  private static let bound = 24.0
  /// The time below which nothing is compared, in seconds.
  private static let threshold = 0.01

  /// Checks one input in sixteen, chosen by its bytes so that a run can be repeated.
  static func check(_ target: FuzzTarget, with input: [UInt8]) throws {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in input { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    guard !input.isEmpty, (hash >> 20) % 16 == 0 else { return }
    let start = Int((hash >> 24) % UInt64(input.count))
    let length = 1 + Int((hash >> 40) % UInt64(min(64, input.count - start)))
    let (head, piece, end) = (input[..<start], input[start..<(start + length)], input[(start + length)...])
    // Multiples of 64: lengths that a parser refuses, such as odd ones in UTF-16, stay so at each size.
    let count = max(64, (target.growthSize * factor - head.count - end.count) / piece.count / 64 * 64)
    func repeated(_ count: Int) -> [UInt8] { Array(head) + (0..<count).flatMap { _ in piece } + end }
    let large = repeated(count)
    guard large.count <= target.growthSize * factor * 2, seconds(target, large) > threshold else { return }
    let (half, small) = (repeated(count / 2), repeated(count / factor))
    // A busy machine stretches one measurement, hardly ever five. Something that only a long input reaches is no growth.
    for _ in 0..<5 {
      let time = seconds(target, large)
      if time <= bound * max(seconds(target, small), 1e-5) || time <= 3 * seconds(target, half) { return }
    }
    throw Failure("eight times as much takes more than \(bound) times as long; \(start) bytes, then \(length) repeated")
  }

  private static func seconds(_ target: FuzzTarget, _ input: [UInt8]) -> Double {
    let start = clock()
    target.parse(input)
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
  }
}
