import B2CSettings
import Foundation
import Testing

/// A file that breaks the rules of its format, and where.
struct Fault: Sendable, CustomTestStringConvertible {
  var text: String
  var line: Int
  var column: Int
  var keyPath = ""
  var kind = SettingsProblem.Kind.malformed

  var testDescription: String { String(text.suffix(60)) }

  /// A control character in a value.
  static func control(_ text: String) -> Fault {
    Fault(
      text: Samples.document("<key>userId</key>\n<string>\(text)</string>"), line: 6, column: 1, keyPath: "userId",
      kind: .controlCharacter)
  }

  /// In the dictionary of a whole document, from line 5 on.
  static func field(_ text: String, _ line: Int, _ column: Int, _ keyPath: String = "") -> Fault {
    Fault(text: Samples.document(text), line: line, column: column, keyPath: keyPath)
  }
}

@Suite struct PropertyListScanTests {
  static let xml: [Fault] = [
    .field("<key>userId</key>\n<string>a & b</string>", 6, 11, "userId"),
    .field("<key>userId</key>\n<string>a &nbsp; b</string>", 6, 11, "userId"),
    .field("<key>userId</key>\n<string>a &#+38; b</string>", 6, 11, "userId"),
    .field("<key>userId</key>\n<string>a &#x-26; b</string>", 6, 11, "userId"),
    .field("<key>userId</key>\n<string>a<b>c</b></string>", 6, 10, "userId"),
    .field("<key>userId</key>\n<string>a\n<key>fullScreen</key><true/>", 6, 1, "userId"),
    .field("<key>userId</key>\n<string>a&lt;&#xD800;</string>", 6, 14, "userId"),
    .field("<key>userId</key>\n<string>&lol;</string>", 6, 9, "userId"),
    .field("<key>userId</key>\n<string>R&amp;D<!-- & --><![CDATA[ & ]]> & x</string>", 6, 42, "userId"),
    .field("<key>fullScreen</key>\n<integer>1&amp;2</integer>", 6, 1, "fullScreen"),
    .control("\u{1}"), .control("&#1;"), .control("&#;"),
    .field("<key>userId</key>\n<date>today</date>", 6, 1, "userId"),
    .field("<key>a &b; c</key>\n<true/>", 5, 8),
    .field("<key>userId</key>\n<bool>true</bool>", 6, 1, "userId"),
    .field("<key>fullScreen</key>\n<integer>yes</integer>", 6, 1, "fullScreen"),
    .field("<key>fullScreen</key>\n<integer>99999999999999999999</integer>", 6, 1, "fullScreen"),
    .field("<key>fullScreen</key>\n<key>showClaims</key><true/>", 5, 1, "fullScreen"),
    .field("<key>fullScreen</key>", 5, 1, "fullScreen"),
    .field("<string>a</string>", 5, 1),
    .field("\u{E4}\u{F6} text <key>fullScreen</key><true/>", 5, 1),
    .field("<key>scopes</key>\n<array><string>a</string></dict>", 6, 26, "scopes"),
    .field("</array>", 5, 1),
    .field("<key>userId</key><string>a</string>\n</dict>", 7, 1),
    .field("<!-- never closed", 5, 1),
    .field("<key>userId</key>\n<string><![CDATA[a</string>", 6, 9, "userId"),
    .field("<key>userId</key>\n<string", 6, 1, "userId"),
    .field("< key>", 5, 1),
    Fault(text: Samples.plist() + "\n<plist/>", line: 23, column: 1),
    Fault(text: Samples.plist().replacing("</plist>", with: ""), line: 22, column: 1),
    Fault(text: "<plist>", line: 1, column: 8),
    Fault(text: "<plist/>", line: 1, column: 1),
    Fault(text: "<?xml version=\"1.0\"?>\n", line: 2, column: 1),
    Fault(text: "<!-- a -->\ntext <plist/>", line: 2, column: 1),
    Fault(
      text: "<!DOCTYPE plist [<!ENTITY a \"b\">]>\n" + Samples.plist(), line: 1, column: 1,
      kind: .documentTypeDefinition),
    Fault(
      text: Samples.plist().replacing("PropertyList-1.0.dtd\">", with: "x\" [ <!ENTITY x SYSTEM \"file:///\"> ]>"),
      line: 2, column: 1, kind: .documentTypeDefinition),
  ]

  @Test("The first fault has its line, its column and its key", arguments: xml)
  func place(_ fault: Fault) throws {
    let error = try #require(failure(of: fault.text))
    let found = try #require(error.problems.first { $0.kind == fault.kind }, "\(error)")
    #expect(found.line == fault.line, "\(error)")
    #expect(found.column == fault.column, "\(error)")
    #expect(found.keyPath == fault.keyPath)
    #expect(found.answer?.isEmpty == false)
  }

  @Test("Lines end as on any system", arguments: ["\n", "\r\n", "\r"])
  func lineEnds(_ end: String) throws {
    let text = Samples.plist(["fullScreen": "<string>maybe</string>"]).replacing("\n", with: end)
    #expect(failure(of: text)?.problems.map(\.line) == [18])
  }

  @Test("The suggestion for an ampersand is its escaped form")
  func ampersand() throws {
    let error = try #require(failure(of: Samples.plist(["userId": "<string>a & b</string>"])))
    #expect(error.problems.count == 1)
    let corrected = try #require(error.problems.first?.suggestion)
    #expect(corrected == "a &amp; b")
    #expect(try Samples.settings(["userId": "<string>\(corrected)</string>"]).userID == "a & b")
    let mixed = try #require(failure(of: Samples.plist(["userId": "<string>R&D &lt;x&gt; &amp;</string>"])))
    #expect(mixed.problems.map(\.suggestion) == ["R&amp;D &lt;x&gt; &amp;"])
  }

  @Test("A closing tag may have spaces before its end")
  func spacesInClosingTag() throws {
    #expect(try Samples.settings(["userId": "<string>a</string \t>"]).userID == "a")
  }

  @Test("A forgotten closing tag does not hide the keys behind it")
  func recovery() throws {
    let plist = Samples.plist([
      "clientId": "<string>7bf688ce-8139-4ca8-9391-02fdb6f86d67", "taskWebAPI": "<string>ftp://x/</string>",
    ])
    let error = try #require(failure(of: plist))
    #expect(error.problems.map(\.kind) == [.malformed, .invalidURL])
    #expect(error.problems.map(\.line) == [8, 14])
  }

  @Test("Where reading has to stop, what precedes is checked and nothing after it is called missing")
  func stopped() throws {
    let error = try #require(
      failure(of: Samples.document("<key>clientId</key>\n<string>x</string>\n<key>a</key></array>")))
    #expect(!error.problems.contains { $0.kind == .missingKey })
    #expect(error.problems.contains { $0.kind == .invalidClientID && $0.line == 6 })
    #expect(error.problems.contains { $0.kind == .malformed })
  }

  @Test("Keys that appear twice, at the line of the second", arguments: ["clientId", "scopes", "showClaims"])
  func duplicates(_ key: String) throws {
    let again = Samples.plist().replacing("</dict>", with: "<key>\(key)</key><true/>\n</dict>")
    let error = try #require(failure(of: again))
    #expect(error.problems.map(\.kind) == [.duplicateKey])
    #expect(error.problems.map(\.keyPath) == [key])
    #expect(error.problems.map(\.line) == [21])
  }

  @Test(
    "Keys that appear twice in any dictionary, however they are written",
    arguments: [
      ("a&amp;b", "a&#38;b"), ("<![CDATA[ab]]>", "a<!-- -->b"), ("\u{E9}", "e\u{301}"), ("x", "&#120;"),
      ("", "<!---->"),
    ])
  func writtenDuplicates(_ first: String, _ second: String) throws {
    let twice = "<dict><key>\(first)</key><true/>\n<key>\(second)</key><true/></dict>"
    let error = try #require(failure(of: Samples.plist(["extra": "<array>\(twice)</array>"])))
    #expect(error.problems.map(\.kind) == [.duplicateKey])
    #expect(error.problems.map(\.line) == [23])
  }

  @Test("Comments and CDATA sections that contain tags are no tags")
  func hiddenTags() throws {
    let plist = Samples.plist(["clientId": nil])
      .replacing("<dict>", with: "<!-- <dict><key>clientId</key><string>x</string> </plist> --><dict><?a <key>?>")
      .replacing("</dict>", with: "<key>userId</key><string><![CDATA[</string></dict></plist>]]></string></dict>")
    let error = try #require(failure(of: plist))
    #expect(error.problems.map(\.kind) == [.missingKey])
    #expect(error.problems.map(\.keyPath) == ["clientId"])
    let id = try #require(Samples.base.first { $0.key == "clientId" }).value
    let whole = plist.replacing("<?a <key>?>", with: "<key>clientId</key>\(id)")
    #expect(try ConnectorSettings(data: Data(whole.utf8)).userID == "</string></dict></plist>")
  }

  @Test("A dictionary that Foundation takes for a UID is of a wrong type")
  func uid() throws {
    let uid = "<dict><key>CF$UID</key><integer>1</integer></dict>"
    #expect(failure(of: Samples.plist(["clientId": uid]))?.problems.map(\.kind) == [.wrongType])
    #expect(failure(of: "<plist>\(uid)</plist>")?.problems.map(\.kind) == [.notADictionary])
  }

  @Test("Keys that appear twice among the policies")
  func duplicatePolicies() throws {
    let twice = "<key>a</key><string>B2C_1_a</string>\n<key>a</key><string>B2C_1_b</string>"
    let error = try #require(failure(of: Samples.plist(["policies": "<dict>\(twice)</dict>"])))
    #expect(error.problems.map(\.keyPath) == ["policies.a"])
    #expect(error.problems.map(\.line) == [23])
  }
}
