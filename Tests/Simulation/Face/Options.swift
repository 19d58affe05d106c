/// What the command line asks for.
struct Options {
  var seeds: ClosedRange<UInt64> = 1...100
  /// The beginnings of the names of scripts, or `all`; `nil` for walks.
  var script: String?
  /// The quarter of the scripts of pairs that is played; all four unless it is named.
  var quarter: Int?
  var traces = false
  var checksDeterminism = false
  var shrinks = false
  var hunts = false

  static let usage = """
    usage: simulation [--seeds A...B | --seed S] [--script NAME,… | --script all] [--quarter 0-3]
                      [--trace | --shrink | --hunt | --check-determinism]
    """

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      switch name {
      case "--trace": traces = true
      case "--shrink": shrinks = true
      case "--hunt": hunts = true
      case "--check-determinism": checksDeterminism = true
      case "--seed", "--seeds":
        let ends = rest.popFirst()?.split(separator: "...").compactMap { UInt64($0) } ?? []
        guard let first = ends.first, let last = ends.last, ends.count < 3, first <= last else { return nil }
        seeds = first...last
      case "--script":
        guard let text = rest.popFirst() else { return nil }
        script = text
      case "--quarter":
        guard let number = rest.popFirst().flatMap({ Int($0) }), 0..<4 ~= number else { return nil }
        quarter = number
      default: return nil
      }
    }
  }
}
