internal import B2CCore
package import Foundation

/// The end of a sheet.
package enum WebAuthenticationOutcome: Sendable {
  /// It reached the redirect.
  case callback(URL)
  /// The user closed it.
  case closed
  /// The system ended it, for a reason in words, with how to fix it.
  case failed(String, recoverySuggestion: String? = nil)
}

extension WebAuthenticationOutcome {
  /// Translates an error of the system.
  ///
  /// Code 1 (`canceledLogin`) means two things: the user closed the sheet, or the system refused an https callback because
  /// the app is not associated with its host. Only the second has a failure reason.
  ///
  /// - Parameters:
  ///   - code: The code of an `ASWebAuthenticationSessionError`; `nil` for any other error.
  ///   - userInfo: The error's details.
  ///   - callback: Where the sheet was to end.
  package init(errorCode code: Int?, userInfo: [String: Any], callback: WebAuthenticationPage.Callback) {
    switch code {
    case 1:
      guard let reason = userInfo[NSLocalizedFailureReasonErrorKey] as? String else {
        self = .closed
        return
      }
      self = .failed(Self.shown(reason), recoverySuggestion: Self.association(with: callback))
    case 2, 3:
      self = .failed(
        "the window cannot show it.", recoverySuggestion: "Pass a window of a scene in the foreground as the anchor.")
    default:
      // Not the error's own text: it may hold the whole URL.
      self = .failed("the system gave neither a callback nor a known error.")
    }
  }

  /// A reason of the system names the app and the domain; one with a URL might hold the whole page's or callback's.
  private static func shown(_ reason: String) -> String {
    guard !reason.contains("://"), let shown = PrintableText(limit: 400).show(reason) else {
      return "the system refused it."
    }
    return shown.hasSuffix(".") ? shown : shown + "."
  }

  private static func association(with callback: WebAuthenticationPage.Callback) -> String? {
    guard case .https(let host, _) = callback else { return nil }
    return "Add webcredentials:\(host) to Associated Domains, and the app to the host's apple-app-site-association."
  }
}
