import B2CCore
import Foundation
import TestSupport
import Testing

/// Long runs of combining marks, which Swift takes quadratic time to compare.
///
/// Without the bound these tests take minutes.
@Suite("The bound on combining marks", .hangLimit)
struct CombiningMarksTests {
  /// Marks in alternating order, so that putting them in order takes the square of their number.
  static let pairs = ["\u{301}\u{323}", "\u{94D}\u{93C}", "\u{5B0}\u{591}", "\u{64B}\u{651}", "\u{F72}\u{F71}"]

  static func run(_ marks: String, _ count: Int) -> String {
    let scalars = Array(marks.unicodeScalars)
    return String(String.UnicodeScalarView((0..<count).map { scalars[$0 % scalars.count] }))
  }

  @Test(
    "Thirty marks in a row are text, and one more is too many", arguments: pairs + ["\u{301}", "\u{344}", "\u{F73}"])
  func limit(_ marks: String) {
    for start in ["", "a", "\u{915}", "日本語"] {
      #expect(!CombiningMarks.areTooMany(in: start + Self.run(marks, 30) + "b"))
      #expect(CombiningMarks.areTooMany(in: start + Self.run(marks, 31) + "b"))
      let cut = CombiningMarks.cut(start + Self.run(marks, 50_000) + "b")
      #expect(ASCIIText.isSame(cut, start + Self.run(marks, 30) + "b"))
    }
  }

  @Test(
    "Long runs of what is no mark stay",
    arguments: [
      "a\u{301}", "\u{1100}", "\u{1100}\u{1161}\u{11A8}", "\u{200D}", "\u{1F1E6}", "\u{FE0F}", "\u{915}\u{94D}",
      "\n", "é", "\u{1F468}\u{200D}",
    ])
  func others(_ text: String) {
    let long = String(repeating: text, count: 10_000)
    #expect(!CombiningMarks.areTooMany(in: long))
    #expect(ASCIIText.isSame(CombiningMarks.cut(long), long))
  }

  @Test("JSON with more is refused, as a name, a text or written as escapes", arguments: pairs)
  func json(_ marks: String) throws {
    let long = "a" + Self.run(marks, 100_000)
    let escaped = "a" + Self.run(marks, 31).unicodeScalars.map { "\\u" + String(format: "%04x", $0.value) }.joined()
    for text in [#"{"\#(long)":1}"#, #"{"a":["\#(long)"]}"#, #"{"a":{"b":"\#(escaped)"}}"#] {
      let fault = #expect(throws: InvalidJSON.self) { try JSONReader.object(text.utf8) }
      #expect(fault.map { "\($0)".hasPrefix("has more than 30 combining marks in a row at byte ") } == true)
    }
    #expect(try JSONReader.object(#"{"\#(Self.run(marks, 30))":1}"#.utf8).count == 1)
  }

  @Test("JSON whose marks are cut has all its values", arguments: pairs)
  func cutJSON(_ marks: String) throws {
    let long = Self.run(marks, 100_000)
    let value = try JSONReader.value(#"[{"a\#(long)":"b\#(long)c","d":1}]"#.utf8, cutsMarks: true)
    let fields = try #require(value.array?.first?.object)
    let kept = Self.run(marks, 30)
    #expect(fields["d"] == .integer(1))
    #expect(ASCIIText.isSame(fields["a" + kept]?.string ?? "", "b" + kept + "c"))
  }

  @Test("Text that is shown has no more", arguments: pairs)
  func shown(_ marks: String) {
    let long = "It failed a" + Self.run(marks, 100_000)
    let kept = "It failed a" + Self.run(marks, 30)
    for shown in [
      PrintableText().show(long) ?? "", PrintableText.plain(long), PrintableText.ofCustomPart(long),
      ConnectorError(.other, long).message,
    ] {
      #expect(shown.utf8.starts(with: kept.utf8), "\(shown)")
      #expect(!CombiningMarks.areTooMany(in: shown))
    }
  }

  @Test("A URL with many marks is not read", arguments: pairs)
  func url(_ marks: String) {
    #expect(URLComponents(plain: "https://example.com/%" + Self.run(marks, 100_000)) == nil)
  }
}
