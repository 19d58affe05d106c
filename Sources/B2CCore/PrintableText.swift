internal import Foundation

/// Text from outside in the form that an error, a log or a terminal may show: short, one line, without tokens.
package struct PrintableText: Sendable {
  /// The most bytes that are looked at: what lies beyond cannot be shown, and a body may be large.
  private static let window = 4096
  /// A value assigned to one of these words is a credential, and a value after it where it looks like one.
  private static let heralds: Set<String> = [
    "bearer", "basic", "authorization", "access_token", "refresh_token", "id_token", "client_secret",
    "client_assertion", "assertion", "password", "code_verifier", "device_code",
  ]
  /// The words that follow `Bearer` in a sentence; any other is a credential (RFC 6750 section 2.1).
  private static let wordsAfterBearer: Set<String> = [
    "token", "tokens", "authentication", "authorization", "auth", "access", "scheme", "realm", "error", "challenge",
    "header", "credentials", "is", "was", "or", "and", "not",
  ]
  /// Shown in place of what is hidden.
  package static let replacement = "[redacted]"

  private let traces: SecretTraces
  private let limit: Int

  /// Prepares the rule for the answers to one request.
  ///
  /// - Parameters:
  ///   - secrets: The secrets that were sent; a server may return them cut, in another case, or escaped once.
  ///   - limit: The most characters to show.
  package init(hiding secrets: [Secret] = [], limit: Int = 200) {
    traces = SecretTraces(secrets)
    self.limit = limit
  }

  private init(_ traces: SecretTraces, limit: Int) {
    self.traces = traces
    self.limit = limit
  }

  /// The same rule with another length.
  package func limited(to limit: Int) -> PrintableText { PrintableText(traces, limit: limit) }

  /// Returns what may be shown of a text; `nil` when nothing is left.
  package func show(_ text: String) -> String? { show(text.utf8) }

  /// Returns what may be shown of a body, whatever bytes it has; `nil` when nothing is left.
  package func show(_ bytes: some Collection<UInt8>) -> String? {
    let isCut = bytes.count > Self.window
    // Decoding repairs what is not UTF-8, so that everything after it sees the text as it will be shown.
    let text = Array(String(decoding: bytes.prefix(Self.window), as: UTF8.self).utf8)
    let shown = Self.printable(Self.hidingTokens(in: traces.hidden(in: text), isCut: isCut))
    let trimmed = shown.trimmingCharacters(in: .whitespaces)
    return trimmed.isEmpty ? nil : String(trimmed.prefix(limit))
  }

  /// Whether the part of a text that could be shown repeats one of the secrets, also cut or escaped once.
  package func findsSecret(in text: String) -> Bool {
    let bytes = Array(text.utf8.prefix(Self.window))
    return traces.hidden(in: bytes) != bytes
  }
}

extension PrintableText {
  /// Returns a text that is no secret on one line and cut, with nothing hidden.
  package static func plain(_ text: String, limit: Int = 200) -> String {
    String(printable(Array(text.utf8.prefix(window))).prefix(limit))
  }
}

// MARK: - What looks like a token

extension PrintableText {
  private static func hidingTokens(in bytes: [UInt8], isCut: Bool) -> [UInt8] {
    var output: [UInt8] = []
    var herald = Herald.none
    var index = 0
    while index < bytes.count {
      let end = bytes[index...].firstIndex { !isWord($0) } ?? bytes.count
      guard end > index else {
        herald.pass(bytes[index])
        output.append(bytes[index])
        index += 1
        continue
      }
      let word = bytes[index..<end]
      let name = String(decoding: word, as: UTF8.self).lowercased()
      let isHerald = heralds.contains(name)
      // "Authorization: Bearer …" has two heralds in a row. A word cut by the window may be the half of a token.
      let hides = (!isHerald && isCredential(word, name, after: herald)) || looksLikeToken(word)
      output.append(contentsOf: hides || (isCut && end == bytes.count) ? Array(replacement.utf8) : Array(word))
      herald = !isHerald ? .none : herald == .assigned ? .assigned : name == "bearer" ? .bearer : .named
      index = end
    }
    return output
  }

  /// The word before a word, as far as it tells that a credential follows.
  private enum Herald {
    case none
    /// Only a space or a quotation mark is between: in a sentence a plain word may follow.
    case named
    case bearer
    /// `:` or `=` is between.
    case assigned

    /// Between a herald and its credential is punctuation only.
    mutating func pass(_ byte: UInt8) {
      guard self != .none else { return }
      switch byte {
      case UInt8(ascii: ":"), UInt8(ascii: "="): self = .assigned
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\""), UInt8(ascii: "'"): break
      default: self = .none
      }
    }
  }

  private static func isCredential(_ word: ArraySlice<UInt8>, _ name: String, after herald: Herald) -> Bool {
    switch herald {
    case .none: false
    case .named: resemblesCredential(word)
    case .bearer: !wordsAfterBearer.contains(name)
    case .assigned: true
    }
  }

  /// Whether a word has a digit, or a capital letter behind a small one, and is too long for an abbreviation.
  private static func resemblesCredential(_ word: ArraySlice<UInt8>) -> Bool {
    let hasDigit = word.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    if hasDigit { return word.count >= 6 }
    return word.count >= 8
      && zip(word, word.dropFirst()).contains { before, after in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(before)
          && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(after)
      }
  }

  /// A JWT, much escaped text, a long part that mixes cases and digits, or a very long one: no word, path or UUID is so.
  private static func looksLikeToken(_ word: ArraySlice<UInt8>) -> Bool {
    let escapes = word.count { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "\\") }
    return escapes >= 8
      || word.split(whereSeparator: { "/\\%".utf8.contains($0) }).contains { part in
        let isJWT = part.count > 8 && lowercased(part.prefix(3)).elementsEqual("eyj".utf8)
        let digits = part.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let lower = part.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let upper = part.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        let isUUID = part.count == 36 && part.count { $0 == UInt8(ascii: "-") } == 4
        // Names of policies are long and mixed too.
        let isPolicy = part.count <= 64 && lowercased(part.prefix(5)).elementsEqual("b2c_1".utf8)
        guard !isUUID, !isPolicy, !isAppIdentifier(part) else { return false }
        return isJWT || (part.count >= 20 && digits && lower && upper)
          || (part.count >= 32 && (digits || (lower && upper))) || part.count >= 64
      }
  }

  /// Whether a word is an app's identifier with its team, such as `ABCDE12345.com.example.app`, which Apple's systems name.
  private static func isAppIdentifier(_ word: ArraySlice<UInt8>) -> Bool {
    let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (3...8).contains(parts.count), parts[0].count == 10 else { return false }
    let small = UInt8(ascii: "a")...UInt8(ascii: "z")
    return parts[0].allSatisfy { !small.contains($0) }
      && parts.dropFirst().allSatisfy { part in
        (1...19).contains(part.count) && part.allSatisfy { small.contains($0) || $0 == UInt8(ascii: "-") }
      }
  }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] { bytes.map(SecretTraces.lowercased) }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-_.~+/%\\".utf8.contains(byte)
    }
  }

  private static func printable(_ bytes: [UInt8]) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      scalars.append(isPrintable(scalar) ? scalar : " ")
    }
    return String(scalars)
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
}

// MARK: - Secrets that were sent

/// Finds secrets in a text, also where they are cut, in another case, or escaped once.
///
/// Every piece of eight bytes counts: a shorter one is of no use to anyone. The work grows with the lengths of the text
/// and of the secrets, not with their product.
private struct SecretTraces: Sendable {
  private static let width = 8

  /// Pieces of eight bytes, in lower case.
  private let windows: Set<UInt64>
  /// Secrets that are shorter than a piece, in lower case.
  private let short: [[UInt8]]

  init(_ secrets: [Secret]) {
    var windows: Set<UInt64> = []
    var short: [[UInt8]] = []
    for secret in secrets {
      let bytes = secret.value.utf8.map(Self.lowercased)
      if bytes.count >= Self.width {
        Self.forEachWindow(of: bytes) { windows.insert($1) }
      } else if bytes.count >= 4 {
        short.append(bytes)
      }
    }
    self.windows = windows
    self.short = short
  }

  /// The text with every trace replaced.
  func hidden(in text: [UInt8]) -> [UInt8] {
    guard !windows.isEmpty || !short.isEmpty else { return text }
    var isSecret = [Bool](repeating: false, count: text.count)
    // Each byte of the text, as it is and unescaped, with the range of the original that it represents.
    let original = text.indices.map { (byte: Self.lowercased(text[$0]), range: $0..<($0 + 1)) }
    for level in [original, Self.unescaped(original)] {
      let bytes = level.map(\.byte)
      func mark(_ range: Range<Int>) {
        for index in level[range.lowerBound].range.lowerBound..<level[range.upperBound - 1].range.upperBound {
          isSecret[index] = true
        }
      }
      Self.forEachWindow(of: bytes) { if windows.contains($1) { mark($0..<($0 + Self.width)) } }
      for secret in short where bytes.count >= secret.count {
        for start in 0...(bytes.count - secret.count)
        where bytes[start..<(start + secret.count)].elementsEqual(secret) {
          mark(start..<(start + secret.count))
        }
      }
    }
    var output: [UInt8] = []
    for index in text.indices {
      if !isSecret[index] {
        output.append(text[index])
      } else if index == 0 || !isSecret[index - 1] {
        output.append(contentsOf: PrintableText.replacement.utf8)
      }
    }
    return output
  }

  private static func forEachWindow(of bytes: [UInt8], _ body: (_ start: Int, UInt64) -> Void) {
    var window: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      window = window << 8 | UInt64(byte)
      if index >= width - 1 { body(index - width + 1, window) }
    }
  }

  /// Undoes one level of `%41`, `\u0041` and `\/`.
  private static func unescaped(
    _ level: [(byte: UInt8, range: Range<Int>)]
  ) -> [(byte: UInt8, range: Range<Int>)] {
    var output: [(byte: UInt8, range: Range<Int>)] = []
    output.reserveCapacity(level.count)
    func value(_ digits: Range<Int>) -> UInt8? {
      guard digits.upperBound <= level.count else { return nil }
      return UInt8(String(decoding: level[digits].map(\.byte), as: UTF8.self), radix: 16)
    }
    func escape(at index: Int) -> (byte: UInt8, count: Int)? {
      guard index + 1 < level.count else { return nil }
      if level[index].byte == UInt8(ascii: "%") {
        return value((index + 1)..<(index + 3)).map { (lowercased($0), 3) }
      }
      guard level[index].byte == UInt8(ascii: "\\") else { return nil }
      switch level[index + 1].byte {
      case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "\""): return (level[index + 1].byte, 2)
      case UInt8(ascii: "u") where value((index + 2)..<(index + 4)) == 0:
        return value((index + 4)..<(index + 6)).map { (lowercased($0), 6) }
      default: return nil
      }
    }
    var index = 0
    while index < level.count {
      guard let found = escape(at: index) else {
        output.append(level[index])
        index += 1
        continue
      }
      let end = level[index + found.count - 1].range.upperBound
      output.append((found.byte, level[index].range.lowerBound..<end))
      index += found.count
    }
    return output
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
