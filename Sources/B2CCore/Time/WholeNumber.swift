/// Whole numbers of seconds and the like, from numbers that may come from outside.
package enum WholeNumber {
  /// Sums of a few numbers within it cannot overflow, and a `Double` holds each exactly.
  private static let limit = 9_007_199_254_740_992.0

  /// Rounds; a number beyond ±2^53 becomes that, and one that is not a number becomes 0.
  package static func rounding(_ number: Double, _ rule: FloatingPointRoundingRule) -> Int64 {
    Int64(exactly: min(max(number, -limit), limit).rounded(rule)) ?? 0
  }

  /// Says how long seconds are, rounded up: `1 second`, `90 seconds`.
  package static func seconds(_ seconds: Double) -> String {
    let whole = rounding(seconds, .up)
    return whole == 1 ? "1 second" : "\(whole) seconds"
  }

  /// Writes a number that is not negative with at least so many digits.
  static func padded(_ number: Int64, _ width: Int64) -> String {
    var digits = String(number)
    while digits.utf8.count < width { digits = "0" + digits }
    return digits
  }
}
