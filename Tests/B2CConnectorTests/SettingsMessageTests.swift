import B2CConnector
import Foundation
import Testing

/// Every message about settings and authorities, side by side: what is written, and what is said about it.
@Suite("Messages about settings")
struct SettingsMessageTests {
  /// Settings without a fault; each row of ``keys`` changes one key.
  private static let base: KeyValuePairs = [
    "authority": "<string>https://contoso.b2clogin.com/contoso.onmicrosoft.com/</string>",
    "clientId": "<string>7bf688ce-8139-4ca8-9391-02fdb6f86d67</string>",
    "scopes": "<array><string>https://contoso.onmicrosoft.com/tasks/read</string></array>",
    "redirectUri": "<string>com.contoso.tasks:/redirect</string>",
    "taskWebAPI": "<string>https://api.contoso.com/tasks</string>",
    "emailSignInPolicyId": "<string>B2C_1_SignIn</string>",
  ]

  /// A key, its value (`-` removes it), and the whole problem or warning.
  static let keys = """
    clientId | - | clientId: The key is missing. Write the application (client) ID of your app's registration.
    clientId | <string></string> | clientId: The value is empty. Write the application (client) ID of your app's registration.
    clientId | <dict/> | clientId: The value is not a string. Write the application (client) ID of your app's registration.
    clientId | <string>my-app</string> | clientId: The client ID is not a GUID. It is "my-app". Write the application (client) ID of your app's registration.
    clientId | <string>&lt;Enter your client ID&gt;</string> | clientId: The value is still a template's placeholder. It is "<Enter your client ID>". Write the application (client) ID of your app's registration.
    clientId | <string>'7bf688ce-8139-4ca8-9391-02fdb6f86d67'</string> | clientId: The value is in quotation marks. It is "'7bf688ce-8139-4ca8-9391-02fdb6f86d67'". Write "7bf688ce-8139-4ca8-9391-02fdb6f86d67".
    authority | <string>contoso</string> | authority: The authority does not begin with https://. It is "contoso". An authority looks like https://contoso.b2clogin.com/contoso.onmicrosoft.com/.
    authority | <string>https://contoso.ciamlogin.com/</string> | warning: authority: An authority of the kind ciam has no policies, but B2C_1_SignIn is given. It is "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/". Remove the policies, or write the authority of an Azure AD B2C tenant.
    authority | <string>https://login.microsoftonline.com/contoso.onmicrosoft.com/</string> | warning: authority: Azure AD B2C no longer runs policies on login.microsoftonline.com, only on <tenant>.b2clogin.com. It is "https://login.microsoftonline.com/contoso.onmicrosoft.com/". Change the authority. The redirect URI stays the same. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/".
    authorityKind | <string>b2b</string> | authorityKind: The kind of authority is unknown. It is "b2b". Write "b2c".
    scopes | - | scopes: The key is missing. List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read.
    scopes | <string>a b</string> | scopes: The value is not an array of strings. It is "a b". Write "<array><string>a</string><string>b</string></array>".
    scopes | <array><string>a b</string></array> | scopes[0]: The scope contains a space or another invalid character (RFC 6749 section 3.3). It is "a b". Write each scope as its own string, exactly as in the registration of its API.
    scopes | <array/> | scopes: There is no scope, so no access token would be issued. List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read. Write "7bf688ce-8139-4ca8-9391-02fdb6f86d67".
    scopes | <array><string>openid</string></array> | scopes: The scopes are only reserved names, which name no API, so no access token would be issued. List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read. Write "7bf688ce-8139-4ca8-9391-02fdb6f86d67".
    scopes | <array><string>User.Read</string></array> | warning: scopes[0]: Azure AD B2C issues no access token for this scope, which is Microsoft Graph's or names no API. It is "User.Read". List the scopes of your API, for example https://contoso.onmicrosoft.com/tasks/read.
    redirectUri | <string>callback</string> | redirectUri: The redirect URI has no scheme, for example com.contoso.tasks:/, or a character that no URI has. It is "callback". Write the redirect URI of your app's registration, for example com.contoso.tasks:/redirect.
    redirectUri | <string>localhost:8400</string> | redirectUri: The redirect URI has no scheme, only a host and a port. It is "localhost:8400". Write "http://localhost:8400".
    redirectUri | <string>https://user:pw@contoso.com/</string> | redirectUri: The redirect URI contains a user name or a password. Write the redirect URI of your app's registration, for example com.contoso.tasks:/redirect.
    redirectUri | <string>com.contoso.tasks:/redirect#x</string> | redirectUri: The redirect URI has a fragment (#), which OAuth forbids (RFC 6749 section 3.1.2). It is "com.contoso.tasks:/redirect#…". Write "com.contoso.tasks:/redirect".
    redirectUri | <string>urn:ietf:wg:oauth:2.0:oob</string> | warning: redirectUri: No browser returns from the out-of-band redirect URI of early tutorials. It is "urn:ietf:wg:oauth:2.0:oob". Register a redirect URI for the app, for example com.contoso.tasks:/redirect.
    redirectUri | <string>mailto:x</string> | redirectUri: A redirect URI with the scheme mailto never leads to the app. It is "mailto:x". Write the redirect URI of your app's registration, for example com.contoso.tasks:/redirect.
    redirectUri | <string>myapp:/redirect</string> | warning: redirectUri: The scheme myapp has no dot, so another app may have the same (RFC 8252 section 7.1). It is "myapp:/redirect". Use your domain name, reversed, as the scheme, for example com.contoso.tasks:/redirect.
    redirectUri | <string>com.contoso.tasks:redirect</string> | warning: redirectUri: The redirect URI has no slash after its scheme, so the sign-in sheet of iOS 26 never returns from it. It is "com.contoso.tasks:redirect". Register it with the slash, too. Write "com.contoso.tasks:/redirect".
    redirectUri | <string>https://jwt.ms</string> | warning: redirectUri: The redirect URI belongs to a public page, which never leads to the app. It is "https://jwt.ms". Register a redirect URI for the app, for example com.contoso.tasks:/redirect.
    redirectUri | <string>http://contoso.com/</string> | redirectUri: A redirect over http to another machine exposes the authorization code. It is "http://contoso.com/". Write "https://contoso.com/".
    redirectUri | <string>https://localhost/</string> | redirectUri: Presenters listen only on http://localhost, 127.0.0.1 and [::1], and the registration must name the same. It is "https://localhost/". Write "http://localhost/".
    taskWebAPI | <string>api.contoso.com/tasks</string> | taskWebAPI: The URL has no scheme. It is "api.contoso.com/tasks". Write "https://api.contoso.com/tasks".
    taskWebAPI | <string>ftp://api.contoso.com/</string> | taskWebAPI: The URL is neither https nor http, or has no valid host. It is "ftp://api.contoso.com/". Write the https URL of the list of tasks, or remove the key.
    taskWebAPI | <string>https://user:pw@api.contoso.com/</string> | taskWebAPI: The URL contains a user name or a password, which would be sent. Write "https://api.contoso.com/".
    taskWebAPI | <string>https://api.contoso.com/tasks#x</string> | taskWebAPI: The URL has a fragment (#), which is never sent. It is "https://api.contoso.com/tasks#…". Write "https://api.contoso.com/tasks".
    taskWebAPI | <string>http://localhost/tasks:3000</string> | taskWebAPI: The port is at the end of the path. It is "http://localhost/tasks:3000". Write "http://localhost:3000/tasks".
    taskWebAPI | <string>http://api.contoso.com/tasks</string> | taskWebAPI: The token would be sent over http, so others could read it on the way. It is "http://api.contoso.com/tasks". Write "https://api.contoso.com/tasks".
    emailSignInPolicyId | <string>B2C_1_a b</string> | emailSignInPolicyId: The policy id is empty, longer than 128 characters, or contains characters that no policy has. It is "B2C_1_a b". Copy the id from the portal, for example B2C_1_SignIn.
    emailSignInPolicyId | - | warning: authority: The authority needs a policy, and no policy is given. It is "https://contoso.b2clogin.com/contoso.onmicrosoft.com/". Add emailSignInPolicyId or policies, unless your app passes a policy to each sign-in.
    policies | <array><dict><key>kind</key><string>signIn</string></dict></array> | policies[0].id: The policy has no id. Write the id of the policy (user flow) from the portal, for example B2C_1_SignIn, or remove the key.
    policies | <array><dict><key>id</key><string>B2C_1_x</string><key>kind</key><string>login</string></dict></array> | policies[0].kind: The kind of policy is unknown. It is "login". Write signUp, signIn, signUpOrSignIn, profileEdit, passwordReset or federatedSignIn.
    policies | <array><string>B2C_1_x</string><string>B2C_1_x</string></array> | warning: policies[1]: The policy is listed twice, and only the first one is used. It is "B2C_1_x". Remove one of them.
    policies | <string>B2C_1_x</string> | policies: The value is not an array or a dictionary. It is "B2C_1_x". List policy ids, or give each its kind as its key, for example signIn or passwordReset.
    policyName | <string>My policy</string> | warning: policyName: policyName has no effect without policyID. It is "My policy". Add the key policyID, or remove this key.
    correlationId | <string>x</string> | correlationId: The correlation ID is not a UUID. It is "x". Write a UUID, or remove the key.
    fullScreen | <string>yes</string> | fullScreen: The value is not <true/> or <false/>. It is "yes". Write <true/> or <false/>.
    fulscreen | <true/> | warning: fulscreen: The key is unknown. Write "fullScreen".
    resourceString | <string>x</string> | warning: resourceString: The key is unknown. Remove it if it is not used.
    clientSecret | <string>x</string> | warning: clientSecret: An app cannot keep a secret, because every user of the app can read it (RFC 8252 section 8.5). Remove it, and register the app as a public client.
    B2C | <dict><key>userId</key><string>ada</string></dict> | warning: B2C: The keys inside the dictionary B2C are not read. Move them to the top level, or remove the dictionary if they are already there.
    """

  @Test("A key", arguments: keys.split(separator: "\n").map(String.init))
  func key(_ row: String) throws {
    let parts = row.components(separatedBy: " | ")
    var fields = Self.base.map { (key: $0.key, value: $0.value) }.filter { $0.key != parts[0] }
    if parts[1] != "-" { fields.append((parts[0], parts[1])) }
    let text = fields.map { "<key>\($0.key)</key>\($0.value)" }.joined()
    #expect(problems(in: "<plist version=\"1.0\"><dict>\(text)</dict></plist>") == [parts[2]])
  }

  static let files = [
    "", String(repeating: " ", count: 65_537), "<plist>" + String(repeating: "<array>", count: 201),
    "<plist>a" + String(repeating: "\u{301}", count: 31), "<plist><array/></plist>", "<plist><dict>",
    "<plist><dict><key>clientId</key><string>a&b</string></dict></plist>",
    "<plist><dict><key>other</key><string>a<b</string></dict></plist>",
  ]
  /// The problem of each file.
  static let problemsOfFiles = """
    The file is not a property list in XML, written in UTF-8. Begin it with <plist version="1.0">, or convert it with `plutil -convert xml1`.
    The file is larger than 64 KiB. Use the settings file, which has a few hundred bytes.
    The file has more than 200 arrays and dictionaries. Use the settings file, which needs about a dozen.
    A text in the file has more than 30 combining marks in a row. Type the text instead of pasting it.
    The outermost value is not a dictionary. Put the keys and their values into one dictionary.
    Line 1: The XML is malformed here or on the line before, or a value has the wrong type. Close every tag, and write a text as <string>text</string>. Check the file with `plutil -lint`.
    clientId: Line 1: An ampersand is not escaped. Write & as &amp; in XML.
    other: Line 1: The string contains a tag. Write < as &lt; if it does not begin a tag.
    """

  @Test("A file")
  func file() {
    let found = Self.files.flatMap(problems)
    #expect(found == Self.problemsOfFiles.split(separator: "\n").map(String.init))
  }

  /// The problems of a file, and its warnings.
  private func problems(in text: String) -> [String] {
    let found: (problems: [SettingsProblem], warnings: [SettingsProblem])
    do {
      found = ([], try ConnectorSettings(data: Data(text.utf8)).warnings)
    } catch {
      let error = error as? SettingsError
      found = (error?.problems ?? [], error?.warnings ?? [])
    }
    let all = found.problems.map { "\($0)" } + found.warnings.map { "warning: \($0)" }
    for text in all { #expect(text.last == "." && !text.contains("..") && !text.contains(". ."), "\(text)") }
    return all
  }

  // MARK: Authorities

  private static let example = "An authority looks like https://contoso.b2clogin.com/contoso.onmicrosoft.com/."

  // A kind (`-` for none), an authority, and the message about it. EXAMPLE stands for the advice with an example.
  static let authorities = """
    - | contoso | The authority does not begin with https://. EXAMPLE
    - | https://{tenant}.b2clogin.com/{tenant}.onmicrosoft.com | The authority is not a URL with a scheme, a host, plain characters and a valid port, or it has a fragment (#). EXAMPLE
    - | http://192.168.0.1/tenant | The authority uses http, not https. Write "https://192.168.0.1/tenant". Use https. Plain http is allowed to this machine only (localhost, 127.0.0.1, [::1]).
    - | https://user:pw@h.example/t | The authority contains a user name or a password before its host. Remove everything between // and @, and make sure that what follows is the host you mean.
    - | https://bücher.example/t | The address has a character that cannot be seen, or its host has letters or dots beyond ASCII. Write "https://xn--bcher-kva.example/t". Type the host in ASCII, in which a name with other letters begins with xn--.
    - | https://login..contoso.com/t | The authority's host is not a DNS name, an IPv4 address of four decimal numbers, or [::1]. EXAMPLE
    - | https://contoso.b2clogin.com/../x | The authority's path contains a part that no URL path may have. EXAMPLE
    - | https://b2clogin.com/contoso.onmicrosoft.com/B2C_1_x | The authority's host does not contain the tenant's name. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x". EXAMPLE
    - | https://contoso.onmicrosoft.com/B2C_1_x | The authority's host is the name of a tenant, not a sign-in host. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/". EXAMPLE
    - | https://contoso.b2clogin.com | The authority does not name the tenant that has the policies. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/". EXAMPLE
    - | https://login.microsoftonline.com/ | The authority has no tenant after its host. Write "https://login.microsoftonline.com/common/". Add your tenant's domain or GUID, or `common` for accounts of any tenant.
    - | https://contoso.b2clogin.com/con@toso/B2C_1_x | The authority's tenant is neither a domain name nor a GUID. EXAMPLE
    - | https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x/SelfAsserted | The authority's path has an unknown part after the tenant or the policy. Write "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_x". End the authority after the tenant or the policy.
    - | https://contoso.b2clogin.com/contoso.onmicrosoft.com/?p=a%2Fb | The authority contains two policies, or a policy id with characters that no policy has. Write one policy id, for example B2C_1_SignIn.
    - | https://contoso.ciamlogin.com/contoso.onmicrosoft.com/B2C_1_x | The authority contains a policy, but an authority of the kind ciam has none. Write "https://contoso.ciamlogin.com/contoso.onmicrosoft.com/". Remove the policy.
    openIDConnect | https://login.contoso.com/t?p=x | The authority has the query parameter p, which no generic issuer uses. Write "https://login.contoso.com/t". Remove the query.
    b2c | https://contoso.ciamlogin.com/ | The host contoso.ciamlogin.com serves ciam, not b2c. Leave the kind out, because it follows from this host.
    """

  @Test("An authority", arguments: authorities.split(separator: "\n").map(String.init))
  func authority(_ row: String) throws {
    let parts = row.components(separatedBy: " | ")
    let error = try #require(throws: ConnectorError.self) {
      try Authority(parts[1], kind: Authority.Kind(rawValue: parts[0]))
    }
    #expect(error.code == .configuration)
    #expect(message(of: error) == "configuration: " + parts[2].replacing("EXAMPLE", with: Self.example))
  }
}
