internal import Foundation

/// Text from outside, made short, on one line and without tokens, so that an error, a log or a terminal may show it.
package struct PrintableText: Sendable {
  /// The number of bytes that are read at most, because a body may be large and only its beginning can be shown.
  private static let window = 4096
  /// The text that replaces hidden parts.
  package static let replacement = "[redacted]"

  private let secrets: [String]
  private let limit: Int
  /// Whether words that begin with a slash are shown, because they may be paths of files.
  private var showsPaths = false

  private static let words = Pattern(/[^\s"']+/)
  private static let credentials = Pattern(
    /(\b(?:bearer|basic|authorization|(?:access|refresh|id)_token|client_secret|(?:client_)?assertion|password|code_verifier|device_code)["']?\s?[:=]\s?["']?(?:(?:bearer|basic)\s)?)[^\s"'&;,(){}\[\]]+/
      .ignoresCase())
  private static let longWords = Pattern(/[A-Za-z0-9\-_.~+\/%\\]{8,}/)
  /// Matches a host, an app's identifier with its team, or a name in code.
  private static let names = Pattern(/[A-Za-z0-9_\-.]+\.[a-z]{2,8}|[A-Za-z]+\.[A-Za-z.]+/)

  /// Returns the same rules with another limit.
  package func limited(to limit: Int) -> PrintableText { PrintableText(secrets: secrets, limit: limit) }

  /// Returns the part of a text that may be shown, or `nil` if nothing is left.
  package func show(_ text: String) -> String? { show(text.utf8) }

  /// Returns the part of a body that may be shown, whatever bytes it contains, or `nil` if nothing is left.
  package func show(_ bytes: some Collection<UInt8>) -> String? {
    var text = Self.start(of: bytes)
    for secret in secrets + secrets.map({ FormEncoding.escape($0) }) {
      text = text.replacingOccurrences(of: secret, with: Self.replacement, options: [.literal, .caseInsensitive])
    }
    // The window may end in the middle of a token, whose first half would not look like a token, so hide the last word.
    if bytes.count > Self.window {
      text = String(text.reversed().drop(while: Self.isOfToken).reversed()) + Self.replacement
    }
    let shown = Self.printable(hidingTokens(in: Self.hidingCredentials(in: text)))
    let trimmed = shown.trimmingCharacters(in: .whitespaces)
    let start = trimmed.prefix(limit)
    // Cut before a word, because half of a GUID could be mistaken for a whole one.
    let space = start.endIndex == trimmed.endIndex ? nil : start.suffix(36).lastIndex(of: " ")
    return trimmed.isEmpty ? nil : String(start[..<(space ?? start.endIndex)])
  }
}

extension PrintableText {
  /// Creates the rules for the responses to one request.
  ///
  /// - Parameters:
  ///   - secrets: The secrets that were sent, which are also found in another case or percent-encoded.
  ///   - limit: The largest number of characters to show, by default 200.
  package init(hiding secrets: [Secret] = [], limit: Int = 200) {
    self.init(secrets: secrets.map(\.value).filter { $0.utf8.count >= 4 }, limit: limit)
  }

  /// Returns a text as one printable line, cut at the limit.
  ///
  /// It hides nothing, so the text must not contain a secret.
  package static func plain(_ text: String, limit: Int = 200) -> String {
    String(printable(start(of: text.utf8)).prefix(limit))
  }

  private static func start(of bytes: some Collection<UInt8>) -> String {
    CombiningMarks.cut(String(decoding: bytes.prefix(window), as: UTF8.self))
  }

  /// Returns the part of a text that may be shown, if it comes from a part that the app supplies, for example a cache.
  ///
  /// The text may be from a database driver that quotes a connection string, so everything before an `@` is hidden too.
  package static func ofCustomPart(_ text: String) -> String {
    let hidden = start(of: text.utf8).replacing(words) { word in
      // A path may contain an `@`, for example that of the home directory of a network account.
      guard let at = word.output.lastIndex(of: "@"), !word.output.hasPrefix("/") else { return String(word.output) }
      return replacement + word.output[at...]
    }
    return PrintableText(secrets: [], limit: 500, showsPaths: true).show(hidden) ?? ""
  }

  // MARK: What looks like a token

  /// Hides the values of credentials, for example in `refresh_token=…` or `Authorization: Bearer …`.
  private static func hidingCredentials(in text: String) -> String {
    // An assignment contains one of these characters, and most texts contain neither, so they skip the slow pattern.
    guard text.utf8.contains(where: ":=".utf8.contains) else { return text }
    return text.replacing(credentials) { $0.output.1 + replacement }
  }

  private func hidingTokens(in text: String) -> String {
    text.replacing(Self.longWords) { word in
      let isShown = (showsPaths && word.output.hasPrefix("/")) || !Self.looksLikeToken(word.output)
      return isShown ? String(word.output) : Self.replacement
    }
  }

  private static func isOfToken(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || "-_.~+/%\\".contains(character))
  }

  /// Whether a word looks like a token, because it is a JWT, has many escapes, or has long parts of mixed cases and
  /// digits.
  private static func looksLikeToken(_ word: Substring) -> Bool {
    word.count { $0 == "%" || $0 == "\\" } >= 8
      || word.split(whereSeparator: { "/\\%".contains($0) }).contains { part in
        if part.count > 8, part.lowercased().hasPrefix("eyj") { return true }
        let hasDigit = part.contains(where: \.isNumber)
        let mixesCases = part.contains(where: \.isLowercase) && part.contains(where: \.isUppercase)
        let isLong =
          part.count >= 64 || (part.count >= 32 && (hasDigit || mixesCases))
          || (part.count >= 20 && hasDigit && mixesCases)
        return isLong && !isName(part)
      }
  }

  /// Whether a long word is a UUID, a policy's id or a name, which may be shown.
  private static func isName(_ word: Substring) -> Bool {
    GUID.isGUID(word) || (word.count <= 64 && word.lowercased().hasPrefix("b2c_1")) || word.wholeMatch(of: names) != nil
  }

  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : " " }))
  }

  /// Whether a scalar neither starts a line, nor moves the cursor, nor changes the direction of text.
  ///
  /// The joiners of emoji and of some scripts are allowed, because they only join their neighbors.
  package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }

  /// Whether a reader can see a character.
  package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    isPrintable(scalar) && !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
  }
}
