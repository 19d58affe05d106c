internal import Foundation

/// Text from outside in the form that an error, a log or a terminal may show: short, one line, without tokens.
package struct PrintableText: Sendable {
  /// The most bytes that are looked at: what lies beyond cannot be shown, and a body may be large.
  private static let window = 4096
  /// Shown in place of what is hidden.
  package static let replacement = "[redacted]"

  private let secrets: [String]
  private let limit: Int
  /// Whether a word that begins with a slash is shown, which may be the path of a file.
  private var showsPaths = false

  private static let words = Pattern(/[^\s"']+/)
  private static let credentials = Pattern(
    /(\b(?:bearer|basic|authorization|(?:access|refresh|id)_token|client_secret|(?:client_)?assertion|password|code_verifier|device_code)["']?\s?[:=]\s?["']?(?:(?:bearer|basic)\s)?)[^\s"'&;,(){}\[\]]+/
      .ignoresCase())
  private static let longWords = Pattern(/[A-Za-z0-9\-_.~+\/%\\]{8,}/)
  /// A host, an app's identifier with its team, or a name in the code.
  private static let names = Pattern(/[A-Za-z0-9_\-.]+\.[a-z]{2,8}|[A-Za-z]+\.[A-Za-z.]+/)

  /// The same rule with another length.
  package func limited(to limit: Int) -> PrintableText { PrintableText(secrets: secrets, limit: limit) }

  /// Returns what may be shown of a text; `nil` when nothing is left.
  package func show(_ text: String) -> String? { show(text.utf8) }

  /// Returns what may be shown of a body, whatever bytes it has; `nil` when nothing is left.
  package func show(_ bytes: some Collection<UInt8>) -> String? {
    var text = Self.start(of: bytes)
    for secret in secrets + secrets.map({ FormEncoding.escape($0) }) {
      text = text.replacingOccurrences(of: secret, with: Self.replacement, options: [.literal, .caseInsensitive])
    }
    // The end of the window may have cut a token in half, and the half would not look like a token.
    if bytes.count > Self.window {
      text = String(text.reversed().drop(while: Self.isOfToken).reversed()) + Self.replacement
    }
    let shown = Self.printable(hidingTokens(in: Self.hidingCredentials(in: text)))
    let trimmed = shown.trimmingCharacters(in: .whitespaces)
    let start = trimmed.prefix(limit)
    // In front of a word: the half of a GUID is taken for a whole one.
    let space = start.endIndex == trimmed.endIndex ? nil : start.suffix(36).lastIndex(of: " ")
    return trimmed.isEmpty ? nil : String(start[..<(space ?? start.endIndex)])
  }
}

extension PrintableText {
  /// Prepares the rule for the answers to one request.
  ///
  /// - Parameters:
  ///   - secrets: The secrets that were sent; a server may return them in another case or percent-encoded.
  ///   - limit: The most characters to show.
  package init(hiding secrets: [Secret] = [], limit: Int = 200) {
    self.init(secrets: secrets.map(\.value).filter { $0.utf8.count >= 4 }, limit: limit)
  }

  /// Returns a text that is no secret on one line and cut, with nothing hidden.
  package static func plain(_ text: String, limit: Int = 200) -> String {
    String(printable(start(of: text.utf8)).prefix(limit))
  }

  private static func start(of bytes: some Collection<UInt8>) -> String {
    CombiningMarks.cut(String(decoding: bytes.prefix(window), as: UTF8.self))
  }

  /// Returns what may be shown of the words of a part that the app has supplied: a cache, a presenter, a transport.
  ///
  /// They may be those of a database that repeats a connection string, so that everything before an `@` is hidden too.
  package static func ofCustomPart(_ text: String) -> String {
    let hidden = start(of: text.utf8).replacing(words) { word in
      // A path may have an at sign, as in the home directory of a network account.
      guard let at = word.output.lastIndex(of: "@"), !word.output.hasPrefix("/") else { return String(word.output) }
      return replacement + word.output[at...]
    }
    return PrintableText(secrets: [], limit: 500, showsPaths: true).show(hidden) ?? ""
  }

  // MARK: What looks like a token

  /// Hides what is assigned to the name of a credential: `refresh_token=…`, `Authorization: Bearer …`.
  private static func hidingCredentials(in text: String) -> String {
    // An assignment has one of these signs, and most texts have none (row 4 of the benchmarks).
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

  /// A JWT, much escaped text, a long part that mixes cases and digits, or a very long one: no word, path or UUID is so.
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

  /// Whether a long word is a UUID, a policy or a name.
  private static func isName(_ word: Substring) -> Bool {
    GUID.isGUID(word) || (word.count <= 64 && word.lowercased().hasPrefix("b2c_1")) || word.wholeMatch(of: names) != nil
  }

  private static func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { isPrintable($0) ? $0 : " " }))
  }

  /// Whether a scalar neither begins a line, nor moves the cursor, nor turns the reading direction.
  ///
  /// The joiners of emoji and of some scripts only join what is beside them.
  package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }

  /// Whether a reader sees a character.
  package static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    isPrintable(scalar) && !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
  }
}
