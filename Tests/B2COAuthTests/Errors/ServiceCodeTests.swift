import B2CTestKit
import Foundation
import Testing

@testable import B2COAuth

@Suite("The service's codes")
struct ServiceCodeTests {
  /// The paragraph of the guide that says what ends a session.
  private func paragraph() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(contentsOf: root.appending(path: "Docs/ErrorCodes.md"), encoding: .utf8)
    return try #require(guide.components(separatedBy: "## Codes of the service").last)
  }

  @Test("The guide lists exactly the codes that end a session")
  func documentedEnds() throws {
    // Every code that the service may have: five digits after AADB2C, five or six after AADSTS.
    let all = [(10_000..<100_000, "AADB2C"), (10_000..<1_000_000, "AADSTS")].map { numbers, family in
      numbers.lazy.map { "\(family)\($0)" }.filter { ServiceCode.named($0)?.endsSession == true }
    }
    let ending = all.flatMap { Array($0) }
    let text = try paragraph()
    let sentence = try #require(text.firstMatch(of: /end a session: ([^`]*) and/)?.output.1)
    var family = ""
    let listed = sentence.matches(of: /(AADB2C|AADSTS)?([0-9]{4,6})/).map { match in
      family = match.output.1.map(String.init) ?? family
      return family + match.output.2
    }
    #expect(Set(listed) == Set(ending))
    #expect(listed.count == ending.count, "A code is named twice.")
  }

  @Test("The guide lists exactly the errors of a refresh that end no session at other providers")
  func documentedErrors() throws {
    let text = try paragraph()
    let list = try #require(text.firstMatch(of: /names the app or the scopes \(([^)]*)\)/)?.output.1)
    let listed = Set(list.matches(of: /`([a-z_]+)`/).map { String($0.output.1) })
    // The registered errors of RFC 6749, RFC 6750, RFC 8628, RFC 8707 and OpenID Connect Core, without those that say "later".
    let registered = [
      "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
      "invalid_scope", "access_denied", "unsupported_response_type", "invalid_token", "insufficient_scope",
      "authorization_pending", "expired_token", "invalid_target", "interaction_required", "login_required",
      "account_selection_required", "consent_required", "invalid_request_uri", "invalid_request_object",
      "request_not_supported", "request_uri_not_supported", "registration_not_supported",
    ]
    for status in [400, 401, 403] {
      let kept = try registered.filter {
        let (body, response) = try LocalResponse(status: status, body: Data(#"{"error":"\#($0)"}"#.utf8))
          .answer(to: URL(filePath: "/"))
        return !ErrorResponse(
          body, response, to: .refresh(addsClaims: false), at: .openIDConnect, hiding: []
        ).asError().endsSession
      }
      #expect(Set(kept) == listed, "\(status)")
    }
  }
}
