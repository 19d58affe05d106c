import B2CSettings
import Foundation
import Testing

@Suite struct SettingsDocumentLimitsTests {
  @Test("64 KiB are read, and not a byte more")
  func size() throws {
    let plist = Data(Samples.plist().utf8)
    let filled = plist + Data(repeating: 0x20, count: 65_536 - plist.count)
    #expect(try ConnectorSettings(data: filled) == Samples.settings())
    #expect(failure(of: filled + Data([0x20]))?.problems.map(\.kind) == [.fileTooLarge])
    #expect(failure(of: Data(count: 50_000_000))?.problems.map(\.kind) == [.fileTooLarge])
  }

  private static func nested(_ depth: Int) -> String {
    Samples.plist([
      "extra": String(repeating: "<array>", count: depth - 1) + String(repeating: "</array>", count: depth - 1)
    ])
  }

  @Test("32 levels are read, and not one more")
  func nesting() throws {
    #expect(try ConnectorSettings(data: Data(Self.nested(32).utf8)) == Samples.settings())
    for depth in [33, 1_000, 4_000] {
      #expect(failure(of: Self.nested(depth))?.problems.map(\.kind) == [.nestingTooDeep])
    }
  }

  @Test("Thousands of levels alone, closed or not")
  func deep() throws {
    let xml = "<plist>" + String(repeating: "<array>", count: 9_000)
    #expect(failure(of: xml)?.problems.map(\.kind) == [.nestingTooDeep])
  }

  @Test("200 arrays and dictionaries are read, and not one more")
  func containers() throws {
    // The file has its dictionary, and the array of scopes; the array around them is another one.
    let lists = { Samples.plist(["extra": "<array>" + String(repeating: "<dict/>", count: $0) + "</array>"]) }
    #expect(try ConnectorSettings(data: Data(lists(197).utf8)) == Samples.settings())
    #expect(failure(of: lists(198))?.problems.map(\.kind) == [.tooManyValues])
  }

  @Test("No more than a hundred problems, and as many warnings, are reported")
  func many() throws {
    let scopes = String(repeating: "<true/>", count: 5_000)
    let strangers = (0..<500).map { "<key>k\($0)</key><true/>" }.joined()
    let plist = Samples.plist(["scopes": "<array>\(scopes)</array>"])
      .replacing("</dict>", with: strangers + "</dict>")
    let error = try #require(failure(of: plist))
    #expect(error.problems.count == 100)
    #expect(error.warnings.count == 100)
  }

  @Test("Long values are cut, and control characters replaced, before they are shown")
  func shown() throws {
    let long = String(repeating: "a", count: 10_000)
    let error = try #require(failure(of: Samples.plist(["clientId": "<string>\u{85}b\u{202E}\(long)</string>"])))
    #expect(error.problems.first?.value?.unicodeScalars.count == 101)
    #expect(!"\(error)".unicodeScalars.contains("\u{202E}"))
  }
}
