internal import B2CCore
internal import Foundation

/// What a user pasted: the callback URL, its query alone, or a code.
struct PastedCallback {
  private let text: String
  private let redirectURI: URL
  private let state: Secret

  init(_ line: String, redirectURI: URL, state: Secret) {
    // A terminal or a chat wraps what it shows, and quotes come along when a URL is copied from a shell.
    text = line.filter { !$0.isWhitespace && !$0.isNewline }.trimmingCharacters(in: CharacterSet(charactersIn: "\"'<>"))
    self.redirectURI = redirectURI
    self.state = state
  }

  /// The callback URL, if the text is an answer to this request.
  func url(for purpose: PresentationRequest.Purpose) -> URL? {
    if text.isEmpty { return purpose == .signOut ? callback([]) : nil }
    guard text.utf8.count <= 65_536 else { return nil }
    if let url = URL(string: text), CallbackState.isRight(url, redirectURI: redirectURI, state: state) { return url }
    if isLikeURL { return nil }
    let pairs = FormEncoding.decode(text.drop { $0 == "?" || $0 == "#" })
    if pairs.contains(where: { $0.name == "code" || $0.name == "error" }) {
      return CallbackState.isRight(pairs, for: state) ? callback(pairs.filter { $0.name != "state" }) : nil
    }
    guard isLikeCode else { return nil }
    return callback([("code", text)])
  }

  /// What to tell the user when it is not.
  var advice: String {
    if text.isEmpty { return "Nothing was pasted." }
    if isLikeURL { return "This address is not the one that this sign-in ends on." }
    return "This is not the code of this sign-in."
  }

  private var isLikeURL: Bool { text.contains("://") || text.lowercased().hasPrefix("urn:") }

  /// Codes are visible ASCII (RFC 6749 appendix A.11); what is as short as a word was typed, not pasted.
  private var isLikeCode: Bool {
    text.utf8.count >= 6 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } && !text.contains("=")
  }

  private func callback(_ pairs: [(name: String, value: String)]) -> URL? {
    let place = redirectURI.absoluteString.prefix { $0 != "?" && $0 != "#" }
    return URL(string: place + "?" + FormEncoding.encode(pairs + [("state", state.value)]))
  }
}
