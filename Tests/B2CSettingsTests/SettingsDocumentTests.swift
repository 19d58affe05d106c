import B2CSettings
import Foundation
import Testing

@Suite struct SettingsDocumentTests {
  static let utf16Files: [(name: String, data: Data)] = [
    ("little-endian with mark", bytes([0xFF, 0xFE], .utf16LittleEndian)),
    ("big-endian with mark", bytes([0xFE, 0xFF], .utf16BigEndian)),
    ("little-endian", bytes([], .utf16LittleEndian)),
    ("big-endian", bytes([], .utf16BigEndian)),
  ]

  private static func bytes(_ mark: [UInt8], _ encoding: String.Encoding) -> Data {
    Data(mark) + (Samples.finished.replacing("UTF-8", with: "UTF-16").data(using: encoding) ?? Data())
  }

  @Test("UTF-16 gives the same settings, with the same lines", arguments: utf16Files)
  func utf16(_ name: String, _ data: Data) throws {
    let settings = try ConnectorSettings(data: data)
    #expect(try settings == ConnectorSettings(data: Data(Samples.finished.utf8)))
    #expect(settings.warnings.map(\.line) == [6, 18])
  }

  @Test("A byte order mark before UTF-8 is ignored")
  func byteOrderMark() throws {
    let mark = Data([0xEF, 0xBB, 0xBF])
    #expect(try ConnectorSettings(data: mark + Data(Samples.finished.utf8)).warnings.map(\.line) == [6, 18])
    #expect(try ConnectorSettings(data: mark + Samples.json()) == Samples.settings())
  }

  @Test("Binary property lists give the same settings")
  func binary() throws {
    let tree = try PropertyListSerialization.propertyList(from: Data(Samples.finished.utf8), format: nil)
    let data = try PropertyListSerialization.data(fromPropertyList: tree, format: .binary, options: 0)
    #expect(data.starts(with: Data("bplist00".utf8)))
    let settings = try ConnectorSettings(data: data)
    #expect(try settings == ConnectorSettings(data: Data(Samples.finished.utf8)))
    #expect(settings.warnings.map(\.kind) == [.retiredAuthority, .outOfBandRedirectURI])
    #expect(settings.warnings.allSatisfy { $0.line == nil })
  }

  @Test("Every type of a binary property list is read, and answered where it is wrong")
  func binaryTypes() throws {
    let tree: [String: Any] = [
      "authority": Date(timeIntervalSince1970: 0), "clientId": Data([1]), "scopes": ["\u{E4}\u{1F600}", 1.5],
      "redirectUri": -1, "fullScreen": 1, "showClaims": true, "policies": Array(repeating: "B2C_1_x", count: 20),
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: tree, format: .binary, options: 0)
    let error = try #require(failure(of: data))
    #expect(
      error.problems.map(\.keyPath) == ["authority", "clientId", "scopes[1]", "scopes[0]", "redirectUri"], "\(error)")
    #expect(error.problems.map(\.kind) == [.wrongType, .wrongType, .wrongType, .invalidScope, .wrongType])
    #expect(error.problems[3].value == "\u{E4}\u{1F600}")
    #expect(error.problems[4].value == "-1")
    #expect(error.warnings.count { $0.kind == .duplicatePolicy } == 19)
  }

  @Test("JSON of the same keys gives the same settings")
  func json() throws {
    #expect(try ConnectorSettings(data: Samples.json()) == Samples.settings())
  }

  @Test("JSON tells lines and columns too")
  func jsonLines() throws {
    let text = """
      {
        "authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/",
        "clientId": "x", "scopes": ["openid", null],
        "redirectUri": "com.contoso.tasks:/r", "clientID": 1, "clientId": 2,
        "fullScreen": "\\u0079es", "emailSignInPolicyId": "B2C_1_\\ud83d\\ude00"
      }
      """
    let error = try #require(failure(of: text))
    #expect(error.problems.map(\.keyPath) == ["clientId", "clientId"])
    #expect(error.problems.map(\.kind) == [.invalidClientID, .duplicateKey])
    #expect(error.problems.map(\.line) == [3, 4])
    #expect(error.problems.map(\.column) == [15, 57])
    #expect(error.warnings.map(\.kind) == [.noAPIScope, .unknownKey])
  }

  @Test("Numbers and null of JSON")
  func jsonScalars() throws {
    let text = String(decoding: try Samples.json(), as: UTF8.self)
    let changed = text.replacing("\"fullScreen\":false", with: "\"fullScreen\":1.0e0,\"taskWebAPI2\":-0.5E-3")
      .replacing("\"showClaims\":true", with: "\"showClaims\":null,\"userId\":null")
    let settings = try ConnectorSettings(data: Data(changed.utf8))
    #expect(settings.fullScreen)
    #expect(!settings.showClaims)
    #expect(settings.userID == nil)
  }

  @Test("Null means no value")
  func null() throws {
    let missing = failure(of: try Samples.json(["scopes": NSNull(), "clientId": NSNull()]))
    #expect(missing?.problems.map(\.kind) == [.missingKey, .missingKey])
    #expect(missing?.problems.map(\.keyPath) == ["clientId", "scopes"])
    let settings = try ConnectorSettings(data: Samples.json(["taskWebAPI": NSNull(), "scopes": ["openid"]]))
    #expect(settings.taskWebAPI == nil)
    #expect(settings.warnings.map(\.kind) == [.noAPIScope])
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
    arguments: ["<plist><array/></plist>", "<plist><string>a</string></plist>", "[]", "[{}]"])
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
