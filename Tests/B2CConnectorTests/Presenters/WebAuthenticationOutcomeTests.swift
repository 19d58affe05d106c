import B2CConnector
import B2CCore
import Foundation
import TestSupport
import Testing

@MainActor
@Suite(.hangLimit)
struct WebAuthenticationOutcomeTests {
  /// The system's words for an https callback without an association.
  private static let reason =
    "Application with identifier ABCDE12345.com.example.app is not associated with domain app.example.com. Using HTTPS"
    + " callbacks requires Associated Domains using the `webcredentials` service type for app.example.com."

  nonisolated static let cases = [
    "no details", "other details", "association", "association, no text", "custom scheme", "a URL", "a token",
    "no window", "background window", "unknown code", "no known error",
  ]

  private struct Row {
    let errorCode: Int?
    let userInfo: [String: Any]
    var redirectURI = "https://app.example.com/cb"
    let means: ErrorCode
    let words: String
    var suggestion: String?
  }

  private static func row(_ name: String) -> Row? {
    let refusal = [NSLocalizedFailureReasonErrorKey: reason]
    return switch name {
    case "no details":
      Row(errorCode: 1, userInfo: [:], means: .userClosedBrowser, words: "The user closed")
    case "other details":
      Row(
        errorCode: 1,
        userInfo: [NSLocalizedDescriptionKey: "Cancelled.", NSUnderlyingErrorKey: CocoaError(.userCancelled)],
        means: .userClosedBrowser, words: "The user closed")
    case "association":
      Row(
        errorCode: 1, userInfo: refusal, means: .presentationFailed, words: reason,
        suggestion: "Add webcredentials:app.example.com to Associated Domains, and the app to the host's "
          + "apple-app-site-association")
    case "association, no text":
      Row(
        errorCode: 1, userInfo: [NSLocalizedFailureReasonErrorKey: 7], means: .userClosedBrowser,
        words: "The user closed")
    case "custom scheme":
      Row(
        errorCode: 1, userInfo: refusal, redirectURI: "com.example.app:/cb", means: .presentationFailed,
        words: "is not associated")
    case "a URL":
      Row(
        errorCode: 1, userInfo: [NSLocalizedFailureReasonErrorKey: "Cannot open https://login.example/?code=canary"],
        means: .presentationFailed, words: "the system refused it.", suggestion: "webcredentials:app.example.com")
    case "a token":
      Row(
        errorCode: 1, userInfo: [NSLocalizedFailureReasonErrorKey: "Refused: access_token=canary-0123456789abcdef"],
        means: .presentationFailed, words: "Refused", suggestion: "webcredentials:app.example.com")
    case "no window":
      Row(errorCode: 2, userInfo: [:], means: .presentationFailed, words: "the window", suggestion: "anchor")
    case "background window":
      Row(errorCode: 3, userInfo: refusal, means: .presentationFailed, words: "the window", suggestion: "foreground")
    case "unknown code":
      Row(errorCode: 9, userInfo: refusal, means: .presentationFailed, words: "neither a callback nor a known error")
    case "no known error":
      Row(errorCode: nil, userInfo: [:], means: .presentationFailed, words: "neither a callback nor a known error")
    default: nil
    }
  }

  /// A sheet that the system ends at once with an error.
  private final class EndedSheet: WebAuthenticationSession {
    let outcome: WebAuthenticationOutcome

    init(_ outcome: WebAuthenticationOutcome) {
      self.outcome = outcome
    }

    func start(_ completion: @escaping @Sendable (WebAuthenticationOutcome) -> Void) -> Bool {
      completion(outcome)
      return true
    }

    func cancel() {}
  }

  @Test("A cancel of the user has no failure reason; a refusal has one, and says what to add", arguments: cases)
  func outcome(_ name: String) async throws {
    let row = try #require(Self.row(name))
    let callback = try WebAuthenticationFlow(supportsHTTPSCallbacks: true) { _, _ in
      throw ConnectorError(own: .presentationFailed, "shown")
    }.callback(for: #require(URL(string: row.redirectURI)))
    let outcome = WebAuthenticationOutcome.failure(callback.error(code: row.errorCode, userInfo: row.userInfo))
    // A window in the background is tried once more.
    let pages = OpenPages(clock: LeapingClock())
    let flow = WebAuthenticationFlow(supportsHTTPSCallbacks: true, pages: pages) { _, _ in EndedSheet(outcome) }
    let error = try await #require(throws: ConnectorError.self) { _ = try await flow.run(.test(row.redirectURI)) }
    #expect(error.code == row.means)
    #expect(error.message.contains(row.words), "\(error)")
    if let suggestion = row.suggestion {
      #expect(error.recoverySuggestion?.contains(suggestion) == true, "\(error)")
    } else {
      #expect(error.recoverySuggestion == nil, "\(error)")
    }
    #expect(!"\(error)".contains("canary"))
  }
}
