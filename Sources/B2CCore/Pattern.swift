/// A regular expression that is compiled once, in a `static let`.
///
/// Swift compiles a literal each time it is evaluated, which takes 90 µs and more, where a match takes 2 µs (rows 4, 5 and 7 of
/// the benchmarks).
///
/// `Regex` is not `Sendable`, because it stores its compiled program at the first match. The initializer
/// makes that match before the expression is shared, so afterwards the program is only read.
package struct Pattern<Output>: RegexComponent, @unchecked Sendable {
  package let regex: Regex<Output>

  package init(_ regex: Regex<Output>) {
    self.regex = regex
    _ = try? regex.firstMatch(in: "")
  }
}
