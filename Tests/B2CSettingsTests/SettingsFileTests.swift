import B2CSettings
import Foundation
import Testing

@Suite struct SettingsFileTests {
  @Test("A byte order mark before UTF-8 is ignored")
  func byteOrderMark() throws {
    let mark = Data([0xEF, 0xBB, 0xBF])
    #expect(try ConnectorSettings(data: mark + Data(Samples.finished.utf8)).warnings.count == 2)
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
      #expect(settings.warnings.map(\.fault) == [.outOfBandRedirectURI, .retiredAuthority])
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
        #expect(error.problems.map(\.fault) == [.notAPropertyList])
        #expect(error.problems.first?.answer?.contains("plutil -convert xml1") == true)
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
    #expect(problems.map(\.fault) == [.wrongType, .wrongType, .wrongType, .invalidScope, .wrongType])
    try #require(problems.count == 5)
    #expect(problems.map(\.value) == [nil, nil, "-1", "\u{E4}\u{1F600}", "1.5"])
  }

  @Test("Every type of a property list is read, and answered where it is wrong")
  func types() throws {
    let data = try PropertyListSerialization.data(fromPropertyList: Self.tree, format: .xml, options: 0)
    try check(try #require(failure(of: data)))
  }

  @Test(
    "A file that is empty, or of another kind, is reported as not a property list",
    arguments: [
      "{ authority = \"x\"; }", "{ \"authority\" = \"x\"; }", "( a, b )", "/* old */ { a = b; }", "// old", "a = b;",
      "<0fbd77>", "hello", "<!DOCTYPE html><html></html>", "<html><body>404</body></html>", "<svg/>",
      "authority: https://contoso", "\u{1}\u{2}", "", " \n\t", #"{"clientId":"x"}"#,
    ])
  func notAPropertyList(_ text: String) throws {
    let error = try #require(failure(of: text))
    #expect(error.problems.map(\.fault) == [.notAPropertyList])
    #expect(error.problems.first?.answer?.isEmpty == false)
  }

  @Test(
    "The outermost value must be a dictionary",
    arguments: ["<plist><array/></plist>", "<plist><string>a</string></plist>"])
  func notADictionary(_ text: String) throws {
    #expect(failure(of: text)?.problems.map(\.fault) == [.notADictionary])
  }

  @Test("Other encodings than UTF-8 are refused")
  func encodings() throws {
    var bytes = Data(Samples.plist().utf8)
    bytes.insert(0xE4, at: 200)
    let utf16 = Data([0xFF, 0xFE]) + (Samples.plist().data(using: .utf16LittleEndian) ?? Data())
    for data in [bytes, utf16, Data([0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0]), Data([0xFF, 0xFE, 0x3C])] {
      #expect(failure(of: data)?.problems.map(\.fault) == [.notAPropertyList])
    }
  }

  @Test(
    "Each line with a raw ampersand or a tag in a string is named",
    arguments: [
      ("<key>userId</key>\n<string>a & b</string>", "Line 6: ", Fault.ampersand, "userId"),
      ("<key>userId</key><string>a &nbsp; b</string>", "Line 5: ", .ampersand, "userId"),
      ("<key>a &b; c</key>\n<true/>", "Line 5: ", .ampersand, "a &b; c"),
      ("<key>userId</key>\n<string>a<b>c</b></string>", "Line 6: ", .tag, "userId"),
      ("<key>userId</key>\n\n<string><Enter a name></string>", "Line 7: ", .placeholder, "userId"),
      ("<key>ownKey</key>\n<string><own value></string>", "Line 6: ", .placeholder, "ownKey"),
    ])
  func hints(_ fields: String, _ line: String, _ fault: Fault, _ keyPath: String) throws {
    let error = try #require(failure(of: Samples.document(fields)))
    #expect(error.problems.map(\.fault) == [fault], "\(error)")
    #expect(error.problems.first?.message.hasPrefix(line) == true)
    #expect(error.problems.first?.keyPath == keyPath)
    #expect(error.problems.first?.answer?.isEmpty == false)
  }

  @Test("Of several pairs on a line each string belongs to its key, and the value of an unknown key is not shown")
  func severalOnALine() throws {
    let line =
      "<key>clientId</key><string>a</string><key>clientSecret</key><string>s3&cret</string>"
      + "<key>ownKey</key><string>s3<cret</string>"
    let error = try #require(failure(of: Samples.document(line)))
    #expect(error.problems.map(\.fault) == [.ampersand, .tag])
    #expect(error.problems.map(\.keyPath) == ["clientSecret", "ownKey"])
    #expect(!"\(error)".contains("cret<") && !"\(error)".contains("s3"))
  }

  @Test(
    "Of any other fault of the XML the line is named on which it is found",
    arguments: [
      ("<key>clientId</key>\n<string>a", 7), ("<key>clientId</key>\n<string>a\n<key>userId</key>", 7),
      ("<key>clientId\n<string>a</string>", 6), ("<key>fullScreen</key>\n<bool>true</bool>", 6),
      ("<key>userId</key>\n\n<String>a</String>", 7), ("<key>userId</key>\n\n\nada", 8),
      ("<key>showClaims</key>\nYES", 6), ("<key>scopes</key>\n<array><string>a</string>\n</dict>", 7),
      ("<key>scopes</key>\n<array>\n<string>a</string>", 8), ("<!-- never closed", 5),
    ])
  func malformed(_ fields: String, _ line: Int) throws {
    for end in ["\n", "\r\n"] {
      let error = try #require(failure(of: Samples.document(fields).replacing("\n", with: end)))
      #expect(error.problems.map(\.fault) == [.malformed], "\(error)")
      let problem = try #require(error.problems.first)
      #expect(problem.message.hasPrefix("Line \(line): "), "\(problem)")
      #expect(problem.recoverySuggestion?.contains("plutil -lint") == true)
    }
  }

  @Test(
    "A line is named in every malformed file",
    arguments: ["<key>fullScreen</key>", "<string>R&amp;D</string>", "<key>a</key><integer>x</integer>", "<string"])
  func anyLine(_ fields: String) throws {
    let error = try #require(failure(of: Samples.document(fields)))
    #expect(error.problems.map(\.fault) == [.malformed], "\(error)")
    #expect(error.problems.first?.message.hasPrefix("Line ") == true)
  }

  @Test("A file that is cut names its last line, and a secret in its place is not shown")
  func cut() throws {
    for lines in [8, 12] {
      let text = Samples.plist().split(separator: "\n").prefix(lines).joined(separator: "\n")
      #expect(failure(of: text + "\n\n")?.problems.first?.message.hasPrefix("Line \(lines): ") == true)
    }
    let secret = Samples.document("<key>clientSecret</key>\n<hunter2>x</hunter2>")
    #expect(try !"\(#require(failure(of: secret)))".contains("hunter2"))
  }

  @Test("Entities are not declared: nothing is expanded or fetched")
  func entities() throws {
    let text = Samples.plist(["userId": "<string>&lol;</string>"])
      .replacing("PropertyList-1.0.dtd\">", with: "PropertyList-1.0.dtd\" [<!ENTITY lol \"hunter2\">]>")
    let error = try #require(failure(of: text))
    #expect(!"\(error)".contains("hunter2"))
  }
}
