/// A regular expression in a `static let`, so that it is compiled only once.
///
/// Swift compiles a regex literal each time it is evaluated, which takes 90 µs or more, while a match takes 2 µs.
///
/// `Regex` is not `Sendable`, because it stores its compiled program during the first match. The initializer makes that
/// match before the expression is shared, and afterwards the program is only read.
package struct Pattern<Output>: RegexComponent, @unchecked Sendable {
  package let regex: Regex<Output>

  package init(_ regex: Regex<Output>) {
    self.regex = regex
    _ = try? regex.firstMatch(in: "")
  }
}
