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

  private static func nested(_ depth: Int) -> [Data] {
    let arrays = String(repeating: "<array>", count: depth - 1) + String(repeating: "</array>", count: depth - 1)
    let brackets = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
    let xml = Samples.plist(["extra": arrays])
    let json = "{\"extra\":\(brackets)," + xmlFreeMembers + "}"
    return [Data(xml.utf8), Data(json.utf8)]
  }

  private static let xmlFreeMembers = """
    "authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/", "taskWebAPI": "https://api.contoso.com/tasks",
    "clientId": "7bf688ce-8139-4ca8-9391-02fdb6f86d67", "scopes": ["https://contoso.onmicrosoft.com/tasks/read"],
    "redirectUri": "com.contoso.tasks:/redirect", "emailSignInPolicyId": "B2C_1_SignIn", "showClaims": true
    """

  @Test("32 levels are read, and not one more")
  func nesting() throws {
    for data in Self.nested(32) {
      #expect(try ConnectorSettings(data: data) == Samples.settings())
    }
    for depth in [33, 1_000, 4_000] {
      for data in Self.nested(depth) {
        #expect(failure(of: data)?.problems.map(\.kind) == [.nestingTooDeep])
      }
    }
  }

  @Test("Thousands of levels alone, closed or not")
  func deep() throws {
    for text in [String(repeating: "[", count: 60_000), String(repeating: "{\"a\":", count: 12_000)] {
      #expect(failure(of: text)?.problems.map(\.kind) == [.nestingTooDeep])
    }
    let xml = "<plist>" + String(repeating: "<array>", count: 9_000)
    #expect(failure(of: xml)?.problems.map(\.kind) == [.nestingTooDeep])
  }

  @Test("A binary file that contains itself")
  func cycle() throws {
    #expect(failure(of: Self.binary([[0xA1, 0x00]]))?.problems.map(\.kind) == [.nestingTooDeep])
    #expect(
      failure(of: Self.binary([[0xD1, 0x01, 0x00], [0x51, 0x61]]))?.problems.map(\.kind) == [.nestingTooDeep])
  }

  @Test("A binary file of few bytes that unfolds to billions of values")
  func unfolding() throws {
    let lists = (0..<30).map { index in [0xA4] + [UInt8](repeating: UInt8(index + 1), count: 4) }
    #expect(failure(of: Self.binary(lists + [[0x09]]))?.problems.map(\.kind) == [.tooManyValues])
    let long = [0x5F, 0x11, 0x40, 0x00] + [UInt8](repeating: 0x61, count: 0x4000)
    let many = [0xAF, 0x11, 0x10, 0x00] + [UInt8](repeating: 1, count: 0x1000)
    #expect(failure(of: Self.binary([many, long]))?.problems.map(\.kind) == [.tooManyValues])
  }

  static let damagedFiles: [(name: String, data: Data)] = [
    ("a reference to nothing", binary([[0xA1, 0x07]])),
    ("a list longer than the file", binary([[0xAF, 0x12, 0x7F, 0xFF, 0xFF, 0xFF]])),
    ("a length of 64 bits", binary([[0x5F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]])),
    ("a length that is not a number", binary([[0x5F, 0x09]])),
    ("a text longer than the file", binary([[0x6F, 0x11, 0xFF, 0xFF]])),
    ("an unknown type", binary([[0xF0]])),
    ("a key that is a number", binary([[0xD1, 0x01, 0x01], [0x10, 0x01]])),
    ("a number of 128 bits", binary([[0x14] + [UInt8](repeating: 0, count: 16)])),
    ("no objects", binary([])),
    ("the head alone", Data("bplist00".utf8)),
    ("a trailer of ones", Data("bplist00".utf8) + Data(repeating: 0xFF, count: 40)),
    ("another version", Data("bplist15".utf8) + Data(repeating: 0, count: 40)),
  ]

  @Test("Damaged binary files", arguments: damagedFiles)
  func damaged(_ name: String, _ data: Data) throws {
    #expect(failure(of: data)?.problems.map(\.kind) == [.malformed])
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

  /// A binary property list whose top is the first object.
  private static func binary(_ objects: [[UInt8]]) -> Data {
    var data = Data("bplist00".utf8)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(data.count)
      data.append(contentsOf: object)
    }
    let table = data.count
    for offset in offsets { data.append(contentsOf: [UInt8(offset >> 8), UInt8(offset & 0xFF)]) }
    let numbers = [objects.count, 0, table].flatMap { number in
      (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return data + Data([0, 0, 0, 0, 0, 0, 2, 1] + numbers)
  }
}
