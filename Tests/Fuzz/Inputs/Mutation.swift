import TestSupport

/// Changes to bytes that are likely to reach a branch that nobody thought of.
enum Mutation {
  /// Applies a few changes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes to start from.
  ///   - corpus: What to splice in.
  ///   - tokens: Words that mean something to the subject.
  ///   - random: Random numbers.
  /// - Returns: The changed bytes.
  static func mutate(
    _ bytes: [UInt8], corpus: [[UInt8]], tokens: [String], _ random: inout SplitMix64
  ) -> [UInt8] {
    var bytes = bytes
    for _ in 0...random.below(5) {
      change(&bytes, corpus: corpus, tokens: tokens, &random)
      // Repetitions multiply; nothing here reads more than 64 KiB.
      if bytes.count > 70_000 { bytes.removeSubrange(70_000...) }
    }
    return bytes
  }

  private static func change(
    _ bytes: inout [UInt8], corpus: [[UInt8]], tokens: [String], _ random: inout SplitMix64
  ) {
    guard !bytes.isEmpty else {
      bytes = random.pick(corpus)
      return
    }
    let start = random.below(bytes.count)
    let range = start..<min(bytes.count, start + 1 + random.below(random.once(in: 8) ? bytes.count : 24))
    switch random.below(11) {
    case 0: bytes[start] ^= 1 << UInt8(random.below(8))
    case 1: bytes[start] = UInt8(random.below(256))
    case 2: bytes[start] = random.pick([0x00, 0x01, 0x0F, 0x7F, 0x80, 0xA0, 0xC2, 0xD8, 0xFE, 0xFF])
    case 3: bytes.removeSubrange(range)
    case 4: bytes.insert(contentsOf: bytes[range], at: start)
    case 5, 6: bytes.insert(contentsOf: random.pick(tokens).utf8, at: start)
    case 7: bytes.replaceSubrange(range, with: random.pick(tokens).utf8)
    case 8:
      let other = random.pick(corpus)
      let cut = random.below(other.count + 1)
      bytes.replaceSubrange(range, with: other[cut..<min(other.count, cut + 1 + random.below(200))])
    case 9 where random.once(in: 4):
      let token = Array(random.pick(tokens).utf8)
      bytes.insert(contentsOf: (0..<(1 << random.below(11))).flatMap { _ in token }, at: start)
    case 9: bytes.swapAt(start, random.below(bytes.count))
    default: if random.once(in: 3) { bytes.removeSubrange(start...) }
    }
  }
}
