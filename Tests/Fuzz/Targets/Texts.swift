import B2CAuthority
import B2CCore
import B2CSettings
import B2CTokenCache
import Foundation
import TestSupport

extension FuzzTarget {
  /// The strict JSON reader.
  static let json = FuzzTarget(name: "json", parse: { _ = try? JSONReader.value($0) }, check: checkJSON)

  @Sendable private static func checkJSON(_ input: [UInt8]) throws {
    let value: JSONValue
    do throws(InvalidJSON) {
      value = try JSONReader.value(input)
    } catch {
      try expect((0...input.count).contains(error.offset), "a fault outside the text")
      return
    }
    try expect((try? JSONReader.object(input)) == value.object, "an object is read in two ways")
    // Whatever is accepted here means the same to another reader, and to this one after it was written.
    let other = try? JSONDecoder().decode(JSONValue.self, from: Data(input))
    try expect(other.map { isSame($0, value) } ?? false, "Foundation reads \(String(describing: other)), not \(value)")
    guard let written = try? JSONEncoder().encode(value) else { throw Failure("cannot be written: \(value)") }
    let again = try? JSONReader.value(written)
    try expect(again == value, "written and read again: \(String(describing: again)), not \(value)")
  }

  private static func isAlmostSame(_ left: Double, _ right: Double) -> Bool {
    abs(left) >= 0x1p53 && abs(left - right) <= left.ulp
  }

  /// Beyond 2^53 a number with a fraction has no exact form: one reader takes it for whole, another does not.
  static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy(isSame)
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { field in right[field.key].map { isSame(field.value, $0) } ?? false }
    default: left == right || isAlmostSame(left.double ?? 0, right.double ?? 0)
    }
  }

  /// Settings files.
  ///
  /// Binary ones are refused on Linux.
  static let settings = FuzzTarget(
    name: "settings", growthSize: 6 << 10, parse: { _ = try? ConnectorSettings(data: Data($0)) }, check: checkSettings)

  @Sendable private static func checkSettings(_ input: [UInt8]) throws {
    do {
      _ = try ConnectorSettings(data: Data(input), file: "settings.plist")
    } catch let error as SettingsError {
      try check(error)
    }
  }

  private static func check(_ error: SettingsError) throws {
    try expect(!error.problems.isEmpty, "an error without a problem")
    try expect(error.problems.count <= 100 && error.warnings.count <= 100, "more than 100 problems")
    try expect(
      error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" }, "a control character is shown")
    for problem in error.problems {
      try expect(!problem.message.isEmpty, "a problem without a message")
      try expect(
        (problem.suggestion ?? problem.recoverySuggestion)?.isEmpty == false,
        "a problem without an answer: \(problem)")
    }
  }

  /// Authorities and policies as a developer writes or pastes them; the first byte selects which.
  static let authority = FuzzTarget(
    name: "authority",
    parse: { _ = try? Authority(String(decoding: $0.dropFirst(), as: UTF8.self), kind: kind($0)) },
    check: checkAuthority)

  private static let password = "canaryPassw0rd"

  private static func kind(_ input: [UInt8]) -> Authority.Kind? {
    let kinds: [Authority.Kind?] = [nil, .b2c, .ciam, .entra, .openIDConnect]
    return kinds[Int(input.first ?? 0) % kinds.count]
  }

  @Sendable private static func checkAuthority(_ input: [UInt8]) throws {
    let text = String(decoding: input.dropFirst(), as: UTF8.self)
    if (input.first ?? 0) % 8 == 7 { return try checkPolicy(text) }
    let kind = kind(input)
    let authority: Authority
    do throws(AuthorityFault) {
      authority = try Authority(parsing: text, kind: kind)
    } catch {
      return try check(error, of: text) { (try? Authority($0, kind: kind)) != nil }
    }
    try check(authority, kind)
  }

  private static func check(_ authority: Authority, _ kind: Authority.Kind?) throws {
    var broken: String?
    if !Loopback.isAllowed(authority.baseURL) { broken = "neither https nor this machine" }
    if authority.baseURL.user != nil || authority.baseURL.fragment != nil { broken = "user-info or fragment" }
    let again = try? Authority(authority.description, kind: kind)
    if again != authority { broken = "\(authority) reads as \(String(describing: again))" }
    for policy in [nil, authority.policy, try? Policy("B2C_1_x")] {
      guard let endpoints = try? Endpoints(authority: authority, policy: policy) else { continue }
      let urls = [
        endpoints.metadata, endpoints.authorization, endpoints.token, endpoints.endSession,
        endpoints.deviceAuthorization,
      ].compactMap(\.self)
      // Foundation reads each URL, so it is not our reading of the host that is compared with itself.
      let host = authority.host.lowercased()
      for url in urls where ![host, "[\(host)]"].contains(url.host?.lowercased()) || !Loopback.isAllowed(url) {
        broken = "\(authority) leads to \(url)"
      }
    }
    try expect(broken == nil, broken ?? "")
  }

  private static func check(_ error: AuthorityFault, of text: String, reads: (String) -> Bool) throws {
    try expect(!error.message.isEmpty, "an error without a message")
    try expect(error.suggestion.map(reads) ?? true, "the suggestion is refused too: \(error.suggestion ?? "")")
    try expect(
      "\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 }, "a control character is shown")
    let place = text.prefix { $0 != "?" && $0 != "#" }
    // A password in front of an @ is never shown.
    if let at = place.lastIndex(of: "@"), place[..<at].contains(password),
      text.components(separatedBy: password).count == 2
    {
      try expect(!"\(error) \(error.error)".contains(password), "a password is shown: \(error)")
    }
  }

  private static func checkPolicy(_ text: String) throws {
    guard let policy = try? Policy(text) else { return }
    try expect(ASCIIText.isSame(policy.id, text), "the id differs from the text")
    let key = FormEncoding.percentDecode(policy.key)
    try expect(ASCIIText.isSame(key, ASCIIText.lowercased(text)), "the key is not the id in small letters")
  }

  /// Token records as files hold them, plain and sealed, and keys.
  ///
  /// The first byte selects which.
  static let cache = FuzzTarget(
    name: "cache",
    parse: { _ = try? RecordForm().record(in: Array($0.dropFirst()), for: sealedKey) },
    check: checkCache)

  private static let canary = "canary-refresh-Token_0123456789"
  private static let canarySweep = SecretSweep([canary])
  private static let sealedKey = TokenCacheKey(
    authority: "https://login.contoso.com/contoso.onmicrosoft.com", clientID: "client", userID: "oid.tid")

  @Sendable private static func checkCache(_ input: [UInt8]) throws {
    let bytes = Array(input.dropFirst())
    switch (input.first ?? 0) % 4 {
    case 0, 1: try checkFile(bytes)
    case 2: try checkKey(String(decoding: bytes, as: UTF8.self))
    default: try checkSealed(bytes)
    }
  }

  private static func checkFile(_ bytes: [UInt8]) throws {
    let key: TokenCacheKey
    let record: TokenRecord
    do {
      key = try RecordForm.key(in: bytes)
      record = try RecordForm().record(in: bytes, for: key)
    } catch {
      return try check(error)
    }
    let written = try RecordForm().bytes(of: record, for: key)
    let again = try? RecordForm().record(in: written, for: key)
    try expect(again == record, "a record is not the same after it was written")
    var shown = "\(record) \(record.accessTokens)"
    dump(record, to: &shown)
    if let token = record.refreshToken?.value, token.utf8.count > 40 {
      try expect(!shown.contains(token), "a refresh token is shown")
    }
    try expect((try? RecordForm.key(in: written)) == key, "the key is not the same after it was written")
  }

  private static func checkKey(_ text: String) throws {
    if let key = TokenCacheKey(canonicalText: text) {
      try expect(key.canonicalText == text, "\(text) has two forms")
    }
    let made = TokenCacheKey(authority: text, clientID: "|%7C", userID: text)
    try expect(TokenCacheKey(canonicalText: made.canonicalText) == made, "\(text) is not read again")
  }

  private static let sealing = try? RecordForm(sealedWith: Data((0..<32).map { UInt8($0) }))

  /// A genuine sealed record.
  private static let sealed: [UInt8]? = {
    let record = TokenRecord(signedInAt: Date(timeIntervalSince1970: 0), refreshToken: Secret(canary))
    return try? sealing?.bytes(of: record, for: sealedKey)
  }()

  /// Three bytes of the input change one byte of the genuine file.
  ///
  /// An input that begins with `=` is the file itself.
  private static func checkSealed(_ bytes: [UInt8]) throws {
    guard let sealing, let sealed else { throw Failure("no sealed record") }
    var file = sealed
    if bytes.first == UInt8(ascii: "=") {
      file = Array(bytes.dropFirst())
    } else {
      for index in stride(from: 0, to: bytes.count - 2, by: 3) {
        file[(Int(bytes[index]) << 8 | Int(bytes[index + 1])) % file.count] = bytes[index + 2]
      }
    }
    do {
      // Another writing of the same file may open: letters of a stamp, bits at the end of base64. It holds the same then.
      let record = try sealing.record(in: file, for: sealedKey)
      try expect(record.refreshToken?.value == canary, "a changed record opens")
    } catch let failure as Failure {
      throw failure
    } catch {
      try expect(file != sealed, "a genuine record does not open: \(error)")
      try check(error)
    }
  }

  private static func check(_ error: any Error) throws {
    try expect(error is ConnectorError || error is DamagedRecord, "not an error of the cache: \(error)")
    try expect(canarySweep.trace(in: printed(error).utf8) == nil, "a secret is shown: \(error)")
    try expect(isPrintable("\(error)"), "a control character is shown")
  }
}
