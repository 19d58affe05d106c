import TestSupport

/// Inputs for the settings reader: mutated files, and files made of the keys with values of every kind.
enum SettingsInputs {
  static func make(_ random: inout SplitMix64) -> [UInt8] {
    switch random.below(10) {
    case 0: return (0..<random.below(400)).map { _ in UInt8(random.below(256)) }
    case 1: return prefixed(&random)
    case 2...5: return generated(&random)
    default: return Mutation.mutate(random.pick(corpus), corpus: corpus, tokens: tokens, &random)
    }
  }

  static let tokens = [
    "<", ">", "&", "\"", "'", "/", "<string>", "</string>", "<array>", "</array>", "<dict>", "</dict>", "<key>",
    "</key>",
    "<true/>", "<false/>", "<integer>", "</integer>", "<real>", "<plist>", "</plist>", "<!--", "-->", "<![CDATA[",
    "]]>",
    "<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "<!DOCTYPE plist [", "&#x41;", "&#0;", "&amp;", "&lol;", "{", "}",
    "[",
    "]", ",", ":", "\\u0000", "\\ud83d\\ude00", "\\", "\u{0}", "\r\n", "\u{FEFF}", "\u{202E}", "\u{1F600}", "%", "@",
    "#",
    "//", ":99999", "bplist00", "1e999", "-0", "99999999999999999999", "<Enter the Application Id>", "null",
  ]

  private static let keys = [
    "authority", "authorityKind", "trustedHosts", "clientId", "scopes", "additionalScopes", "redirectUri", "taskWebAPI",
    "emailSignUpPolicyId", "faceBookSignInPolicyId", "emailSignInPolicyId", "policies", "policyName", "policyID",
    "fullScreen", "showClaims", "correlationId", "userId", "resourceString", "clientID", "clientSecret", "x",
  ]

  private static let texts = [
    "", " ", "true", "YES", "no", "1", "2", "<Enter it>", "{x}", "$(X)", "7bf688ce-8139-4ca8-9391-02fdb6f86d67",
    "7bf688ce81394ca8939102fdb6f86d67", "https://contoso.b2clogin.com/contoso.onmicrosoft.com/",
    "https://login.microsoftonline.com/contoso.onmicrosoft.com/", "https://contoso.ciamlogin.com/",
    "https://issuer.example/a/b", "https://contoso.b2clogin.com/tfp/contoso.onmicrosoft.com/B2C_1_x/v2.0", "b2c",
    "ciam",
    "openid", "https://contoso.onmicrosoft.com/tasks/read", "User.Read", "com.contoso.tasks:/redirect",
    "urn:ietf:wg:oauth:2.0:oob", "http://localhost:8400/", "https://contoso.com/r", "javascript:alert(1)", "tasks://r",
    "http://localhost/tasks:3000", "https://api.contoso.com/tasks", "https://u:p@h/tasks", "localhost:3000/tasks",
    "B2C_1_SignIn", "b2c_1_signin", "B2C_1A_Reset", "SignIn", "a@contoso.com", "\u{E4}\u{1F600}\u{301}",
    "a&b<c>\"d\"\\",
  ]

  /// The values that each key of complete settings has most of the time.
  private static let rightTexts: [String: [String]] = [
    "authority": [
      "https://contoso.b2clogin.com/contoso.onmicrosoft.com/",
      "https://login.microsoftonline.com/contoso.onmicrosoft.com/",
      "https://login.contoso.com/tfp/contoso.onmicrosoft.com/", "https://login.microsoftonline.com/common",
      "https://issuer.example/a/b",
    ],
    "clientId": ["7bf688ce-8139-4ca8-9391-02fdb6f86d67", " 7BF688CE-8139-4CA8-9391-02FDB6F86D67\n"],
    "redirectUri": ["com.contoso.tasks:/redirect", "http://localhost:8400/", "urn:ietf:wg:oauth:2.0:oob", "tasks://r"],
    "emailSignInPolicyId": ["B2C_1_SignIn"], "taskWebAPI": ["https://api.contoso.com/tasks?a=1&b=2"],
  ]

  static let corpus: [[UInt8]] = {
    var random = SplitMix64(seed: 7)
    let trees = (0..<6).map { _ in Tree.members(complete(&random)) }
    let files = trees.flatMap { [$0.xml, $0.json, $0.binary] }
    let template = Array(
      """
      <plist version="1.0"><dict>
      <key>authority</key><string>https://login.microsoftonline.com/<your tenant name>.onmicrosoft.com/</string>
      <key>clientId</key><string><Enter the Application Id></string>
      <key>scopes</key><array><string><Enter the Application Id></string></array>
      <key>redirectUri</key><string>urn:ietf:wg:oauth:2.0:oob</string>
      </dict></plist>
      """.utf8)
    let units = Array(String(decoding: files[0], as: UTF8.self).utf16)
    let wide: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let marked: [UInt8] = [0xEF, 0xBB, 0xBF] + files[0]
    return files + [template, wide, marked]
  }()

  /// Something that begins like a file and goes on as anything.
  private static func prefixed(_ random: inout SplitMix64) -> [UInt8] {
    let starts = [
      "bplist00", "<?xml", "<plist><dict>", "{", "[", "<!DOCTYPE", "{\"authority\":", "<dict><key>clientId</key>",
    ]
    var bytes = Array(random.pick(starts).utf8)
    for _ in 0..<random.below(60) {
      if random.once(in: 3) {
        bytes.append(UInt8(random.below(256)))
      } else {
        bytes += Array(random.pick(tokens).utf8)
      }
    }
    return bytes
  }

  private static func generated(_ random: inout SplitMix64) -> [UInt8] {
    var members = complete(&random)
    for _ in 0..<random.below(4) { set(random.pick(keys), value(&random, depth: 0), in: &members) }
    if random.once(in: 4) { members.remove(at: random.below(members.count)) }
    if random.once(in: 20) { members.append(random.pick(members)) }
    let tree = Tree.members(members)
    switch random.below(3) {
    case 0: return tree.json
    case 1: return tree.binary
    default: return tree.xml
    }
  }

  private static func complete(_ random: inout SplitMix64) -> [Tree.Member] {
    var members = [
      Tree.Member(key: "scopes", value: .list([.text("https://contoso.onmicrosoft.com/tasks/read")]))
    ]
    for key in rightTexts.keys.sorted() { set(key, .text(random.pick(rightTexts[key] ?? [""])), in: &members) }
    if random.once(in: 2) { set("fullScreen", .text(random.pick(["YES", "0", "true"])), in: &members) }
    if random.once(in: 2) {
      set("policies", .list(["B2C_1_Reset", "B2C_1_Edit", random.pick(texts)].map(Tree.text)), in: &members)
    }
    if random.once(in: 3) { set("policies", .members(namedPolicies(&random)), in: &members) }
    if random.once(in: 3) { set("policyID", .text("B2C_1_" + random.pick(["SignIn", "Edit", "z"])), in: &members) }
    if random.once(in: 3) { set("policyName", .text(random.pick(texts)), in: &members) }
    if random.once(in: 3) { set("userId", .text(random.pick(texts)), in: &members) }
    return members
  }

  private static func namedPolicies(_ random: inout SplitMix64) -> [Tree.Member] {
    let detail = [
      Tree.Member(key: "id", value: .text("B2C_1_y")), Tree.Member(key: "name", value: .text(random.pick(texts))),
    ]
    return [
      Tree.Member(key: "signIn", value: .text("B2C_1_In")),
      Tree.Member(key: random.pick(["x", "passwordReset"]), value: .members(detail)),
    ]
  }

  private static func set(_ key: String, _ value: Tree, in members: inout [Tree.Member]) {
    members.removeAll { $0.key == key }
    members.append(Tree.Member(key: key, value: value))
  }

  private static func value(_ random: inout SplitMix64, depth: Int) -> Tree {
    switch random.below(depth > 3 ? 5 : 8) {
    case 0, 1, 2: return .text(random.pick(texts))
    case 3: return .flag(random.once(in: 2))
    case 4: return .integer(random.pick([0, 1, 2, -1, Int.max]))
    case 5: return .list((0..<random.below(4)).map { _ in value(&random, depth: depth + 1) })
    case 6:
      let names = ["id", "name", "kind", "domainHint", "signIn", "passwordReset", "x"]
      return .members(
        (0..<random.below(4)).map { _ in
          Tree.Member(key: random.pick(names), value: value(&random, depth: depth + 1))
        })
    default: return .real(0.5)
    }
  }
}
