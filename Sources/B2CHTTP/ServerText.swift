package import B2CCore
internal import Foundation

/// Makes a text of a server fit to be shown: short, printable, and without anything that looks like a token.
package struct ServerText {
  private static let window = 4096
  /// What follows one of these words is a credential, whatever it looks like.
  private static let heralds: Set<String> = [
    "bearer", "basic", "authorization", "access_token", "refresh_token", "id_token", "client_secret",
    "client_assertion",
    "assertion", "password", "code_verifier",
  ]
  private static let replacement = "[redacted]"

  /// The tokens that were sent; a server may repeat them.
  private let secrets: [Secret]
  private let limit: Int

  /// Prepares it.
  ///
  /// - Parameters:
  ///   - secrets: The tokens that were sent.
  ///   - limit: The most characters to show.
  package init(hiding secrets: [Secret], limit: Int = 200) {
    self.secrets = secrets
    self.limit = limit
  }

  /// `nil` for a text in which nothing is left to show.
  package func show(_ bytes: some Collection<UInt8>) -> String? {
    // What lies beyond the window cannot be shown, and a body may be large.
    let isCut = bytes.count > Self.window
    var text = String(decoding: bytes.prefix(Self.window), as: UTF8.self)
    for secret in secrets where secret.value.utf8.count >= 4 {
      text = text.replacingOccurrences(of: secret.value, with: Self.replacement, options: .literal)
    }
    let shown = Self.printable(Self.redact(Array(text.utf8), isCut: isCut))
    let trimmed = shown.trimmingCharacters(in: .whitespaces)
    return trimmed.isEmpty ? nil : String(trimmed.prefix(limit))
  }

  private static func redact(_ bytes: [UInt8], isCut: Bool) -> [UInt8] {
    var output: [UInt8] = []
    var isHeralded = false
    var index = 0
    while index < bytes.count {
      let end = bytes[index...].firstIndex { !isWord($0) } ?? bytes.count
      guard end > index else {
        // Only punctuation is between a herald and its credential.
        isHeralded = isHeralded && isPunctuation(bytes[index])
        output.append(bytes[index])
        index += 1
        continue
      }
      let word = bytes[index..<end]
      let name = String(decoding: word, as: UTF8.self).lowercased()
      let isHerald = heralds.contains(name)
      // "Authorization: Bearer …" has two heralds in a row. A word cut by the window may be the half of a token.
      let hides = (isHeralded && !isHerald) || looksLikeToken(word) || (isCut && end == bytes.count)
      output.append(contentsOf: hides ? Array(replacement.utf8) : Array(word))
      isHeralded = isHerald
      index = end
    }
    return output
  }

  /// A long part that mixes cases and digits, or a very long one with digits: no word, path or UUID looks so.
  private static func looksLikeToken(_ word: ArraySlice<UInt8>) -> Bool {
    word.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") })
      .contains { part in
        let isJWT = part.count > 8 && part.starts(with: "eyJ".utf8)
        let digits = part.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let lower = part.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let upper = part.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        let isUUID = part.count == 36 && part.filter { $0 == UInt8(ascii: "-") }.count == 4
        return isJWT || (part.count >= 20 && digits && lower && upper && !isUUID)
          || (part.count >= 32 && (digits || (lower && upper)) && !isUUID) || part.count >= 64
      }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-_.~+/%\\".utf8.contains(byte)
    }
  }

  private static func isPunctuation(_ byte: UInt8) -> Bool {
    " \t:=\"'".utf8.contains(byte)
  }

  private static func printable(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let category = scalar.properties.generalCategory
      // Line ends and direction marks would let a server write lines of its own into a log.
      let isHidden = [.control, .format, .lineSeparator, .paragraphSeparator].contains(category)
      let isJoiner = scalar == "\u{200C}" || scalar == "\u{200D}"
      scalars.append(isHidden && !isJoiner ? " " : scalar)
    }
    return String(scalars)
  }
}
