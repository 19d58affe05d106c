/// A generator of random numbers that gives the same ones for the same seed on every machine.
struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// The generator of one input: far from those of its neighbours.
  init(seed: UInt64, number: Int) {
    state = seed &* 0xD1B5_4A32_D192_ED03 ^ UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// A number below a bound.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next() >> 1) % max(1, bound)
  }

  /// True once in so many times.
  mutating func once(in times: Int) -> Bool { below(times) == 0 }

  /// Any element of a list that has some.
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
