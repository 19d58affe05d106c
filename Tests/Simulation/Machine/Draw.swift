/// Random choices that a seed repeats: SplitMix64.
struct Draw: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0xD134_2543_DE82_EF95 &+ 0x9E37_79B9_7F4A_7C15
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to but not including a bound.
  mutating func below(_ bound: Int) -> Int { bound < 2 ? 0 : Int(next() % UInt64(bound)) }

  /// A number of a closed range.
  mutating func number(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

  /// Whether something happens that happens so many times in a thousand.
  mutating func happens(_ perMille: Int) -> Bool { below(1000) < perMille }

  /// One of the elements, each as likely as the others; the list must not be empty.
  mutating func one<Element>(of list: [Element]) -> Element { list[below(list.count)] }
}
