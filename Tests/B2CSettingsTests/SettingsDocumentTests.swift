import B2CSettings
import Foundation
import Testing

@Suite struct SettingsDocumentTests {
  @Test("A byte order mark before UTF-8 is ignored")
  func byteOrderMark() throws {
    let mark = Data([0xEF, 0xBB, 0xBF])
    #expect(try ConnectorSettings(data: mark + Data(Samples.finished.utf8)).warnings.map(\.line) == [6, 18])
  }

  private static func binary(_ tree: Any) throws -> Data {
    let data = try PropertyListSerialization.data(fromPropertyList: tree, format: .binary, options: 0)
    #expect(data.starts(with: Data("bplist00".utf8)))
    return data
  }

  #if canImport(Darwin)
    @Test("Binary property lists give the same settings")
    func binary() throws {
      let tree = try PropertyListSerialization.propertyList(from: Data(Samples.finished.utf8), format: nil)
      let settings = try ConnectorSettings(data: Self.binary(tree))
      #expect(try settings == ConnectorSettings(data: Data(Samples.finished.utf8)))
      #expect(settings.warnings.map(\.kind) == [.retiredAuthority, .outOfBandRedirectURI])
      #expect(settings.warnings.allSatisfy { $0.line == nil })
    }

    @Test("Every type of a binary property list is read, and answered where it is wrong")
    func binaryTypes() throws {
      let error = try #require(failure(of: Self.binary(Self.tree)))
      try check(error)
    }
  #else
    @Test("A binary property list is refused, and the answer is how to convert it")
    func binary() throws {
      let tree = try PropertyListSerialization.propertyList(from: Data(Samples.finished.utf8), format: nil)
      for data in [try Self.binary(tree), Data("bplist00".utf8), Data("bplist15".utf8) + Data(count: 40)] {
        let error = try #require(failure(of: data))
        #expect(error.problems.map(\.kind) == [.unsupportedFormat])
        #expect(error.problems.first?.answer?.contains("plutil -convert xml1") == true)
        #expect(error.problems.first?.line == nil)
      }
    }
  #endif

  private static var tree: [String: Any] {
    let scopes: [Any] = ["\u{E4}\u{1F600}", 1.5]
    return [
      "authority": Date(timeIntervalSince1970: 0), "clientId": Data([1]), "scopes": scopes, "redirectUri": -1,
      "fullScreen": 1, "showClaims": true, "policies": Array(repeating: "B2C_1_x", count: 20),
    ]
  }

  private func check(_ error: SettingsError) throws {
    let problems = error.problems.sorted { $0.keyPath < $1.keyPath }
    #expect(
      problems.map(\.keyPath) == ["authority", "clientId", "redirectUri", "scopes[0]", "scopes[1]"], "\(error)")
    #expect(problems.map(\.kind) == [.wrongType, .wrongType, .wrongType, .invalidScope, .wrongType])
    try #require(problems.count == 5)
    #expect(problems.map(\.value) == [nil, nil, "-1", "\u{E4}\u{1F600}", "1.5"])
    let types = zip(problems, ["a date", "data", "an integer", "", "a number"])
    #expect(types.allSatisfy { $0.message.contains($1) || $1.isEmpty })
    #expect(error.warnings.count { $0.kind == .duplicatePolicy } == 19)
  }

  @Test("Every type of a property list is read, and answered where it is wrong")
  func types() throws {
    let data = try PropertyListSerialization.data(fromPropertyList: Self.tree, format: .xml, options: 0)
    try check(try #require(failure(of: data)))
  }

  @Test("JSON and UTF-16 are no property lists here")
  func otherFormats() throws {
    let json = try JSONSerialization.data(withJSONObject: ["clientId": "x"])
    #expect(failure(of: json)?.problems.map(\.kind) == [.notAPropertyList])
    let utf16 = Data([0xFF, 0xFE]) + (Samples.plist().data(using: .utf16LittleEndian) ?? Data())
    #expect(failure(of: utf16)?.problems.map(\.kind) == [.unsupportedEncoding])
  }

  @Test(
    "Other files are reported as not a property list",
    arguments: [
      "{ authority = \"x\"; }", "{ \"authority\" = \"x\"; }", "( a, b )", "/* old */ { a = b; }", "// old", "a = b;",
      "<0fbd77>", "hello", "<!DOCTYPE html><html></html>", "<html><body>404</body></html>", "<svg/>",
      "authority: https://contoso", "\u{1}\u{2}",
    ])
  func notAPropertyList(_ text: String) throws {
    let error = try #require(failure(of: text))
    #expect(error.problems.map(\.kind) == [.notAPropertyList])
    #expect(error.problems.first?.line == 1)
    #expect(error.problems.first?.answer?.isEmpty == false)
  }

  @Test("An empty file, and one of spaces", arguments: ["", " \n\t"])
  func empty(_ text: String) throws {
    #expect(failure(of: text)?.problems.map(\.kind) == [.emptyFile])
  }

  @Test(
    "The outermost value has to be a dictionary",
    arguments: ["<plist><array/></plist>", "<plist><string>a</string></plist>"])
  func notADictionary(_ text: String) throws {
    #expect(failure(of: text)?.problems.map(\.kind) == [.notADictionary])
  }

  @Test("Other encodings are refused where they differ from UTF-8")
  func encodings() throws {
    let latin = Samples.plist().replacing("UTF-8", with: "ISO-8859-1")
    #expect(try ConnectorSettings(data: Data(latin.utf8)) == Samples.settings())
    let named = latin.replacing("<dict>", with: "<dict><key>userId</key><string>\u{E4}</string>")
    #expect(failure(of: named)?.problems.map(\.kind) == [.unsupportedEncoding])
    var bytes = Data(Samples.plist().utf8)
    bytes.insert(0xE4, at: 200)
    let error = try #require(failure(of: bytes))
    #expect(error.problems.map(\.kind) == [.unsupportedEncoding])
    #expect(error.problems.first?.line == Samples.plist().utf8.prefix(200).count { $0 == 0x0A } + 1)
    #expect(failure(of: Data([0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0]))?.problems.map(\.kind) == [.unsupportedEncoding])
    #expect(failure(of: Data([0xFF, 0xFE, 0x3C]))?.problems.map(\.kind) == [.unsupportedEncoding])
    #expect(failure(of: Data([0xFF, 0xFE, 0x00, 0xD8]))?.problems.map(\.kind) == [.unsupportedEncoding])
  }
}
