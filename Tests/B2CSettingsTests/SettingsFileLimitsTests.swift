import B2CSettings
import Foundation
import Testing

@Suite struct SettingsFileLimitsTests {
  @Test("64 KiB are read, and not a byte more")
  func size() throws {
    let plist = Data(Samples.plist().utf8)
    let filled = plist + Data(repeating: 0x20, count: 65_536 - plist.count)
    #expect(try ConnectorSettings(data: filled) == Samples.settings())
    #expect(failure(of: filled + Data([0x20]))?.problems.map(\.fault) == [.fileTooLarge])
    #expect(failure(of: Data(count: 50_000_000))?.problems.map(\.fault) == [.fileTooLarge])
  }

  @Test("Thousands of levels never reach Foundation, closed or not", arguments: [1_000, 4_000, 9_000])
  func nesting(_ depth: Int) throws {
    let open = String(repeating: "<array>", count: depth)
    #expect(failure(of: "<plist>" + open)?.problems.map(\.fault) == [.tooManyContainers])
    let closed = open + String(repeating: "</array>", count: depth)
    let isLarge = closed.utf8.count > 60_000
    #expect(
      failure(of: Samples.plist(["extra": closed]))?.problems.map(\.fault)
        == [isLarge ? .fileTooLarge : .tooManyContainers])
  }

  @Test("200 arrays and dictionaries are read, and not one more")
  func containers() throws {
    // The file has its dictionary, and the array of scopes; the array around them is another one.
    let lists = { Samples.plist(["extra": "<array>" + String(repeating: "<dict/>", count: $0) + "</array>"]) }
    #expect(try ConnectorSettings(data: Data(lists(197).utf8)).warnings.map(\.keyPath) == ["extra"])
    #expect(failure(of: lists(198))?.problems.map(\.fault) == [.tooManyContainers])
  }

  @Test(
    "A file with a long run of combining marks is refused, as a value or a key, well formed or not",
    arguments: ["\u{301}\u{323}", "\u{94D}\u{93C}", "\u{64B}\u{651}"])
  func marks(_ marks: String) throws {
    let run = String(repeating: marks, count: 8_000)
    for plist in [
      Samples.plist(["clientId": "<string>a\(run)</string>"]), Samples.plist(["a\(run)": "<true/>"]),
      Samples.plist(["scopes": "<array><string>a\(run)</string></array>"]), "<plist><dict>a\(run)",
    ] {
      let problems = try #require(failure(of: plist)).problems
      #expect(problems.count == 1 && problems[0].message.contains("30 combining marks"))
    }
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
