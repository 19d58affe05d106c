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
      #expect(try ConnectorSettings(data: Self.binary(Samples.tree())) == Samples.settings())
    }
  #else
    @Test("A binary property list is refused, and the answer is how to convert it")
    func binary() throws {
      for data in [try Self.binary(Samples.tree()), Data("bplist00".utf8), Data("bplist15".utf8) + Data(count: 40)] {
        let error = try #require(failure(of: data))
        #expect(error.problems.map(\.fault) == [.notAPropertyList])
        #expect(error.problems.first?.answer?.contains("plutil -convert xml1") == true)
      }
    }
  #endif

  @Test("Every type of a property list is read, and answered where it is wrong")
  func types() throws {
    let scopes: [Any] = ["\u{E4}\u{1F600}", 1.5]
    let tree: [String: Any] = [
      "authority": Date(timeIntervalSince1970: 0), "clientId": Data([1]), "scopes": scopes, "redirectUri": -1,
      "fullScreen": 1, "showClaims": true, "policies": Array(repeating: "B2C_1_x", count: 20),
    ]
    var files = [try Samples.file(tree)]
    #if canImport(Darwin)
      files.append(try Self.binary(tree))
    #endif
    for file in files {
      let problems = try #require(failure(of: file)).problems.sorted { $0.keyPath < $1.keyPath }
      #expect(problems.map(\.keyPath) == ["authority", "clientId", "redirectUri", "scopes[0]", "scopes[1]"])
      #expect(problems.map(\.fault) == [.wrongType, .wrongType, .wrongType, .invalidScope, .wrongType])
      #expect(problems.map(\.value) == [nil, nil, "-1", "\u{E4}\u{1F600}", "1.5"])
    }
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
      ("<key>clientId</key>\n<string>a", "7:"), ("<key>clientId</key>\n<string>a\n<key>userId</key>", "7:"),
      ("<key>clientId\n<string>a</string>", "6:"), ("<key>fullScreen</key>\n<bool>true</bool>", "6:"),
      ("<key>userId</key>\n\n<String>a</String>", "7:"), ("<key>userId</key>\n\n\nada", "8:"),
      ("<key>showClaims</key>\nYES", "6:"), ("<key>scopes</key>\n<array><string>a</string>\n</dict>", "7:"),
      ("<key>scopes</key>\n<array>\n<string>a</string>", "8:"), ("<!-- never closed", "5:"),
      // Which line it is differs.
      ("<key>fullScreen</key>", ""), ("<string>R&amp;D</string>", ""), ("<key>a</key><integer>x</integer>", ""),
      ("<string", ""),
    ])
  func malformed(_ fields: String, _ line: String) throws {
    for end in ["\n", "\r\n"] {
      let error = try #require(failure(of: Samples.document(fields).replacing("\n", with: end)))
      #expect(error.problems.map(\.fault) == [.malformed], "\(error)")
      #expect(error.problems.first?.message.hasPrefix("Line " + line) == true, "\(error)")
      #expect(error.problems.first?.recoverySuggestion?.contains("plutil -lint") == true)
    }
  }

  @Test("A file that is cut names its last line", arguments: [8, 12])
  func cut(_ lines: Int) throws {
    let text = Samples.plist().split(separator: "\n").prefix(lines).joined(separator: "\n")
    #expect(failure(of: text + "\n\n")?.problems.first?.message.hasPrefix("Line \(lines): ") == true)
  }

  // MARK: Limits

  @Test("64 KiB are read, and not a byte more")
  func size() throws {
    let plist = Data(Samples.plist().utf8)
    let filled = plist + Data(repeating: 0x20, count: 65_536 - plist.count)
    #expect(try ConnectorSettings(data: filled) == Samples.settings())
    #expect(failure(of: filled + Data([0x20]))?.problems.map(\.fault) == [.fileTooLarge])
  }

  @Test("200 arrays and dictionaries are read, and more of them, however deep, never reach Foundation")
  func containers() throws {
    // The file has its dictionary, and the array of scopes; the array around them is another one.
    let lists = { Samples.plist(["extra": "<array>" + String(repeating: "<dict/>", count: $0) + "</array>"]) }
    #expect(try ConnectorSettings(data: Data(lists(197).utf8)).warnings.map(\.keyPath) == ["extra"])
    let (open, closed) = (String(repeating: "<array>", count: 4_000), String(repeating: "</array>", count: 4_000))
    for text in [lists(198), "<plist>" + open, Samples.plist(["extra": open + closed])] {
      #expect(failure(of: text)?.problems.map(\.fault) == [.tooManyContainers])
    }
  }

  @Test(
    "A file with a long run of combining marks is refused, as a value or a key, well formed or not",
    arguments: ["\u{301}\u{323}", "\u{94D}\u{93C}", "\u{64B}\u{651}"])
  func marks(_ marks: String) throws {
    let run = String(repeating: marks, count: 8_000)
    for plist in [
      Samples.plist(["clientId": "a\(run)"]), Samples.plist(["a\(run)": "<true/>"]),
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
    #expect(error.problems.count == 100 && error.warnings.count == 100)
  }
}

@Suite struct SettingsErrorTests {
  @Test("One line for each problem, with key, fault, value and fix")
  func description() throws {
    let plist = Samples.plist(["clientId": nil, "taskWebAPI": "http://localhost/tasks:3000", "clientid": ""])
    let error = try #require(failure { try ConnectorSettings(data: Data(plist.utf8), file: "settings.plist") })
    #expect(
      "\(error)" == """
        settings.plist cannot be used:
          clientId: The key is missing. Write the application (client) ID of your app's registration.
          taskWebAPI: The port is at the end of the path. It is "http://localhost/tasks:3000". \
        Write "http://localhost:3000/tasks".
          clientId: The value is empty. Write the application (client) ID of your app's registration.
          warning: clientid: The key is unknown. Write "clientId".
        """)
    #expect(error.localizedDescription == "\(error)")
    #expect("\(try #require(failure(of: "")))".hasPrefix("The settings cannot be used:\n"))
  }

  @Test("Long values are cut, and control characters replaced, before they are shown")
  func shown() throws {
    let long = String(repeating: "a", count: 10_000)
    let error = try #require(failure(of: Samples.plist(["clientId": "\u{85}b\u{202E}\(long)"])))
    #expect(error.problems.first?.value?.unicodeScalars.count == 101)
    #expect(!"\(error)".unicodeScalars.contains("\u{202E}"))
  }

  @Test(
    "Nothing that may be a secret is shown",
    arguments: [
      ("taskWebAPI", "https://user:hunter2@api.contoso.com/"), ("redirectUri", "https://user:hunter2@contoso.com/"),
      ("authority", "https://user:hunter2@contoso.b2clogin.com/contoso.onmicrosoft.com/"),
      ("clientId", "eyJhbGciOiJSUzI1NiJ9.hunter2.sig"), ("clientSecret", "hunter2"), ("apiKey", "hunter2"),
      ("taskWebAPI", "https://user:hunter2@api contoso.com/"), ("taskWebAPI", "user:hunter2@api.contoso.com/tasks"),
      ("redirectUri", "com.contoso://a@b:hunter2@/#x"), ("clientSecret", "hunter2&x"), ("clientSecret", "ab<hunter2>e"),
      ("clientSecret", "<string><hunter2></string>"), ("clientSecret", "<hunter2>x</hunter2>"),
      ("taskWebAPI", "https://user:hunter2@api.contoso.com/x&y"), ("taskWebAPI", "hunter2@api.contoso.com/tasks"),
      ("taskWebAPI", "http://u:hunter2@api.contoso.com/tasks:3000#x"),
      ("authority", "contoso.b2clogin.com?code=hunter2"), ("authority", "contoso.b2clogin.com#access_token=hunter2"),
      ("authority", "hunter2@contoso.b2clogin.com/contoso.onmicrosoft.com"),
      ("authority", "https://user:hunt\\er2@h.example/hunter2"),
      ("authority", "http://h.example/t?login_hint=hunter2&amp;p=B2C_1_x&amp;state=hunter2"),
      ("emailSignInPolicyId", "?p=B2C_1_x&amp;code=hunter2"),
    ])
  func secrets(_ key: String, _ value: String) throws {
    let error = try #require(failure(of: Samples.plist(["scopes": nil, key: value])))
    var dumped = ""
    dump(error, to: &dumped)
    #expect(!error.problems.isEmpty)
    #expect(!"\(error)".contains("hunter2") && !dumped.contains("hunter2"))
  }

  @Test(
    "A URL's query may hold a key, and is not quoted, neither in the value nor in a correction",
    arguments: [
      ("redirectUri", "http://contoso.com/r?key=hunter2", "http://contoso.com/r?…"),
      ("redirectUri", "localhost:8400/r?key=hunter2", "localhost:8400/r?…"),
      ("redirectUri", "com.contoso.tasks:/r?key=hunter2#x", "com.contoso.tasks:/r?…"),
      ("taskWebAPI", "http://api.contoso.com/tasks?key=hunter2", "http://api.contoso.com/tasks?…"),
      ("taskWebAPI", "https://api.contoso.com/tasks?a=1&b=hunter2", nil),
    ])
  func queries(key: String, text: String, shown: String?) throws {
    let error = try #require(failure(of: Samples.plist([key: text])))
    let problem = try #require(error.problems.first)
    #expect(problem.value == shown)
    #expect(problem.answer?.isEmpty == false)
    #expect(!"\(error)".contains("hunter2"))
  }

  @Test("A policy in the query is not secret: a corrected authority keeps it")
  func policyInQuery() throws {
    let text = "http://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=B2C_1_x"
    #expect(failure(of: Samples.plist(["authority": text]))?.problems.first?.suggestion == "https" + text.dropFirst(4))
  }

  @Test("Entities are not declared: nothing is expanded or fetched")
  func entities() throws {
    let text = Samples.plist(["userId": "&lol;"])
      .replacing("PropertyList-1.0.dtd\">", with: "PropertyList-1.0.dtd\" [<!ENTITY lol \"hunter2\">]>")
    #expect(try !"\(#require(failure(of: text)))".contains("hunter2"))
  }
}
