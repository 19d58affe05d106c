import Foundation

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
    throw Broken("eight times as much takes more than \(bound) times as long; \(start) bytes, then \(length) repeated")
  }

  private static func seconds(_ target: FuzzTarget, _ input: [UInt8]) -> Double {
    let start = clock()
    target.parse(input)
    return Double(clock() - start) / Double(CLOCKS_PER_SEC)
  }
}
