import B2CSettings
import Foundation
import Testing

/// Files that people really have.
enum Samples {
  /// The tutorial's finished sample, value for value.
  static let finished = document(
    """
    <key>authority</key><string>https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/</string>
    <key>clientId</key><string>7bf688ce-8139-4ca8-9391-02fdb6f86d67</string>
    <key>scopes</key><array><string>7bf688ce-8139-4ca8-9391-02fdb6f86d67</string></array>
    <key>additionalScopes</key><array><string></string></array>
    <key>redirectUri</key><string>urn:ietf:wg:oauth:2.0:oob</string>
    <key>userId</key><string>test@hypercubeb2c.onmicrosoft.com</string>
    <key>taskWebAPI</key><string>https://kidventus.net/todoserver/tasks</string>
    <key>emailSignUpPolicyId</key><string>B2C_1_todo_email_signup</string>
    <key>faceBookSignInPolicyId</key><string>B2C_1_todo_facebook_signin</string>
    <key>emailSignInPolicyId</key><string>B2C_1_todo_email_signin</string>
    <key>fullScreen</key><false/>
    <key>showClaims</key><true/>
    """)

  /// The tutorial's template before anyone has filled it in, which is not well-formed XML.
  static let template = document(
    """
    <key>authority</key>
    <string>https://login.microsoftonline.com/<your tenant name>.onmicrosoft.com/</string>
    <key>clientId</key>
    <string><Enter the Application Id assigned to your app by the Azure portal, e.g.580e250c></string>
    <key>scopes</key>
    <array>
    \t<string><Enter the Application Id assigned to your app by the Azure portal, e.g.580e250c></string>
    </array>
    <key>additionalScopes</key><array></array>
    <key>redirectUri</key><string>urn:ietf:wg:oauth:2.0:oob</string>
    <key>taskWebAPI</key><string>http://localhost/tasks:3000</string>
    <key>emailSignUpPolicyId</key><string><Enter your sign up policy name, e.g.g b2c_1_sign_up></string>
    <key>faceBookSignInPolicyId</key><string><your sign in policy for FB></string>
    <key>emailSignInPolicyId</key><string><Enter your sign in policy name, e.g. b2c_1_sign_in></string>
    <key>fullScreen</key><false/>
    <key>showClaims</key><true/>
    """)

  /// Settings without a fault.
  private static let base: [(key: String, value: String)] = [
    ("authority", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/"),
    ("clientId", "7bf688ce-8139-4ca8-9391-02fdb6f86d67"),
    ("scopes", "<array><string>https://contoso.onmicrosoft.com/tasks/read</string></array>"),
    ("redirectUri", "com.contoso.tasks:/redirect"),
    ("taskWebAPI", "https://api.contoso.com/tasks"),
    ("emailSignInPolicyId", "B2C_1_SignIn"),
    ("fullScreen", "<false/>"),
    ("showClaims", "<true/>"),
  ]

  /// The base with values replaced, removed (`nil`), or keys added at the end.
  ///
  /// A value that begins with a tag is XML, and any other is the content of a string.
  static func plist(_ changes: KeyValuePairs<String, String?> = [:]) -> String {
    var fields = base
    for (key, value) in changes {
      let index = fields.firstIndex { $0.key == key }
      if let index, let value {
        fields[index].value = value
      } else if let index {
        fields.remove(at: index)
      } else if let value {
        fields.append((key, value))
      }
    }
    let xml = fields.map { key, value in
      "<key>\(key)</key>\n" + (value.hasPrefix("<") ? value : "<string>\(value)</string>")
    }
    return document(xml.joined(separator: "\n"))
  }

  /// Fields in a whole document; the first is on line 5.
  static func document(_ fields: String) -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \(fields)
    </dict>
    </plist>
    """
  }

  static func settings(_ changes: KeyValuePairs<String, String?> = [:]) throws -> ConnectorSettings {
    try ConnectorSettings(data: Data(plist(changes).utf8))
  }

  /// The base as Foundation reads it, with values replaced or added.
  static func tree(_ changes: [String: Any] = [:]) throws -> [String: Any] {
    let tree = try PropertyListSerialization.propertyList(from: Data(plist().utf8), format: nil)
    return (tree as? [String: Any] ?? [:]).merging(changes) { $1 }
  }

  /// A file as Foundation writes it.
  static func file(_ tree: [String: Any]) throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: tree, format: .xml, options: 0)
  }
}

/// The error of settings that cannot be read, or `nil` if they can.
func failure(_ settings: () throws -> ConnectorSettings) -> SettingsError? {
  do {
    _ = try settings()
    return nil
  } catch {
    return error as? SettingsError
  }
}

func failure(of data: Data) -> SettingsError? { failure { try ConnectorSettings(data: data) } }
func failure(of text: String) -> SettingsError? { failure(of: Data(text.utf8)) }
func failure(of file: URL) -> SettingsError? { failure { try ConnectorSettings(contentsOf: file) } }

/// Values of a key with the same mistake, and the answer to it.
struct Mistake: Sendable, CustomTestStringConvertible {
  let key: String
  let values: [String?]
  let keyPath: String
  let fault: Fault
  let answer: String?

  /// Creates a mistake, whose advice `SettingsMessageTests` has word for word if there is no answer.
  ///
  /// A value of `nil` removes the key.
  init(_ key: String, _ values: String?..., at keyPath: String? = nil, is fault: Fault, _ answer: String? = nil) {
    (self.key, self.values, self.keyPath, self.fault, self.answer) = (key, values, keyPath ?? key, fault, answer)
  }

  var testDescription: String { "\(key) = \(values.map { $0 ?? "(missing)" }.joined(separator: " or "))" }

  /// Expects the problems of a file with one of the values to be this one alone.
  func check(_ problems: [SettingsProblem], of value: String?) {
    #expect(problems.map(\.keyPath) == [keyPath], "\(value ?? "(missing)")")
    #expect(problems.map(\.fault) == [fault], "\(value ?? "(missing)")")
    if let answer {
      #expect(problems.map(\.answer) == [answer], "\(value ?? "(missing)")")
    } else {
      #expect(problems.allSatisfy { $0.suggestion == nil && $0.recoverySuggestion != nil }, "\(value ?? "(missing)")")
    }
  }
}

/// The faults by which tests tell problems apart, with words of their messages.
enum Fault: String, CaseIterable {
  case missingKey = "The key is missing."
  case missingID = "The policy has no id."
  case emptyValue = "The value is empty."
  case placeholder = "still a template's placeholder"
  case quotedValue = "in quotation marks"
  case controlCharacter = "a control character or a line break"
  case invalidClientID = "is not a GUID"
  case invalidScope = "invalid character (RFC 6749 section 3.3)"
  case noAPIScope = "no access token would be issued"
  case foreignScope = "issues no access token for this scope"
  case invalidCorrelationID = "is not a UUID"
  case portInPath = "at the end of the path"
  case insecureURL = "over http, so others could read it"
  case userInfoInURL = "which would be sent"
  case outOfBandRedirectURI = "out-of-band redirect URI"
  case foreignRedirectURI = "a public page"
  case ambiguousRedirectScheme = "another app may have the same"
  case redirectURIWithoutSlash = "no slash after its scheme"
  case unknownKey = "The key is unknown."
  case unusedName = "no effect without policyID"
  case clientSecret = "cannot keep a secret"
  case duplicatePolicy = "listed twice"
  case unknownPolicyKind = "The kind of policy is unknown."
  case unexpectedPolicy = "has no policies"
  case noPolicy = "no policy is given"
  case retiredAuthority = "no longer runs policies"
  case fileUnreadable = "The file does not exist, or cannot be read."
  case noResource = "has no such resource"
  case fileTooLarge = "larger than 64 KiB"
  case notAPropertyList = "The file is not a property list in XML"
  case tooManyContainers = "more than 200"
  case notADictionary = "The outermost value"
  case ampersand = "An ampersand is not escaped."
  case tag = "The string contains a tag."
  case malformed = "The XML is malformed"
  case foreignCharacter = "The address"
  case wrongType = "The value is not a"
  case notABoolean = "not <true/> or <false/>"
  case invalidRedirectURI = "redirect"
  case invalidAuthority = "uthority"
  case invalidURL = "URL"
  case invalidPolicy = "olicy"
}

extension SettingsProblem {
  var fault: Fault? {
    let others: [String: Fault] = ["redirectUri": .invalidRedirectURI, "authority": .invalidAuthority]
    return Fault.allCases.first { message.contains($0.rawValue) } ?? others[keyPath]
  }

  /// The value to write where it is known, otherwise what to do.
  var answer: String? { suggestion ?? recoverySuggestion }
}
