import B2CSettings
import Foundation

/// Files that people really have.
enum Samples {
  /// The tutorial's finished sample, value for value.
  static let finished = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>authority</key>
    \t<string>https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/</string>
    \t<key>clientId</key>
    \t<string>7bf688ce-8139-4ca8-9391-02fdb6f86d67</string>
    \t<key>scopes</key>
    \t<array>
    \t\t<string>7bf688ce-8139-4ca8-9391-02fdb6f86d67</string>
    \t</array>
    \t<key>additionalScopes</key>
    \t<array>
    \t\t<string></string>
    \t</array>
    \t<key>redirectUri</key>
    \t<string>urn:ietf:wg:oauth:2.0:oob</string>
    \t<key>userId</key>
    \t<string>test@hypercubeb2c.onmicrosoft.com</string>
    \t<key>taskWebAPI</key>
    \t<string>https://kidventus.net/todoserver/tasks</string>
    \t<key>emailSignUpPolicyId</key>
    \t<string>B2C_1_todo_email_signup</string>
    \t<key>faceBookSignInPolicyId</key>
    \t<string>B2C_1_todo_facebook_signin</string>
    \t<key>emailSignInPolicyId</key>
    \t<string>B2C_1_todo_email_signin</string>
    \t<key>fullScreen</key>
    \t<false/>
    \t<key>showClaims</key>
    \t<true/>
    </dict>
    </plist>
    """

  /// The tutorial's template as it is before anyone has filled it in: no well-formed XML.
  static let template = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>authority</key>
    \t<string>https://login.microsoftonline.com/<your tenant name>.onmicrosoft.com/</string>
    \t<key>clientId</key>
    \t<string><Enter the Application Id assigned to your app by the Azure portal, e.g.580e250c></string>
    \t<key>scopes</key>
    \t<array>
    \t\t<string><Enter the Application Id assigned to your app by the Azure portal, e.g.580e250c></string>
    \t</array>
    \t<key>additionalScopes</key>
    \t<array>
    \t</array>
    \t<key>redirectUri</key>
    \t<string>urn:ietf:wg:oauth:2.0:oob</string>
    \t<key>taskWebAPI</key>
    \t<string>http://localhost/tasks:3000</string>
    \t<key>emailSignUpPolicyId</key>
    \t<string><Enter your sign up policy name, e.g.g b2c_1_sign_up></string>
    \t<key>faceBookSignInPolicyId</key>
    \t<string><your sign in policy for FB></string>
    \t<key>emailSignInPolicyId</key>
    \t<string><Enter your sign in policy name, e.g. b2c_1_sign_in></string>
    \t<key>fullScreen</key>
    \t<false/>
    \t<key>showClaims</key>
    \t<true/>
    </dict>
    </plist>
    """

  /// Settings without a fault, as XML fragments.
  static let base: [(key: String, value: String)] = [
    ("authority", "<string>https://contoso.b2clogin.com/contoso.onmicrosoft.com/</string>"),
    ("clientId", "<string>7bf688ce-8139-4ca8-9391-02fdb6f86d67</string>"),
    ("scopes", "<array><string>https://contoso.onmicrosoft.com/tasks/read</string></array>"),
    ("redirectUri", "<string>com.contoso.tasks:/redirect</string>"),
    ("taskWebAPI", "<string>https://api.contoso.com/tasks</string>"),
    ("emailSignInPolicyId", "<string>B2C_1_SignIn</string>"),
    ("fullScreen", "<false/>"),
    ("showClaims", "<true/>"),
  ]

  /// The base with values replaced, removed (`nil`), or keys added at the end.
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
    return document(fields.map { "<key>\($0.key)</key>\n\($0.value)" }.joined(separator: "\n"))
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

  /// The base as Foundation writes it, with fields in place of or added to it.
  static func file(_ changes: [String: Any] = [:]) throws -> Data {
    var fields: [String: Any] = [
      "authority": "https://contoso.b2clogin.com/contoso.onmicrosoft.com/",
      "clientId": "7bf688ce-8139-4ca8-9391-02fdb6f86d67",
      "scopes": ["https://contoso.onmicrosoft.com/tasks/read"],
      "redirectUri": "com.contoso.tasks:/redirect",
      "taskWebAPI": "https://api.contoso.com/tasks",
      "emailSignInPolicyId": "B2C_1_SignIn",
      "fullScreen": false, "showClaims": true,
    ]
    fields.merge(changes) { $1 }
    return try PropertyListSerialization.data(fromPropertyList: fields, format: .xml, options: 0)
  }

  static func settings(_ changes: KeyValuePairs<String, String?> = [:]) throws -> ConnectorSettings {
    try ConnectorSettings(data: Data(plist(changes).utf8))
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
