/// What the command line asks for.
struct Options {
  var seeds: ClosedRange<UInt64> = 1...100
  var traces = false
  var script: String?
  var without: Set<String> = []
  /// The quarter of the scripts of pairs that is played; all four unless it is named.
  var quarter: Int?
  var schedules = 50
  var checksDeterminism = false
  var lists = false
  var shrinks = false
  var hunts = false

  static let usage = """
    usage: simulation [--seeds A...B | --seed S] [--trace | --shrink] [--script NAME] [--quarter 0-3] [--schedules N]
                      [--without KIND,…] [--check-determinism] [--hunt] [--list]
    """

  init?(_ arguments: [String]) {
    var rest = arguments
    while !rest.isEmpty {
      let name = rest.removeFirst()
      func value() -> String? { rest.isEmpty ? nil : rest.removeFirst() }
      switch name {
      case "--trace": traces = true
      case "--shrink": shrinks = true
      case "--list": lists = true
      case "--hunt": hunts = true
      case "--check-determinism": checksDeterminism = true
      case "--seed", "--seeds":
        let ends = value()?.replacing("...", with: " ").split(separator: " ").compactMap { UInt64($0) } ?? []
        guard let first = ends.first, let last = ends.last, ends.count < 3, first <= last else { return nil }
        seeds = first...last
      case "--script":
        guard let text = value() else { return nil }
        script = text
      case "--schedules":
        guard let number = value().flatMap(Int.init), number > 0 else { return nil }
        schedules = number
      case "--quarter":
        guard let number = value().flatMap(Int.init), 0..<4 ~= number else { return nil }
        quarter = number
      case "--without":
        guard let text = value() else { return nil }
        without.formUnion(text.split(separator: ",").map(String.init))
      default: return nil
      }
    }
  }
}
