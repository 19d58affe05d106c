import B2CAuthority
import B2CCore
import B2CSettings
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
}
