/// The text form of the ids that the portal gives out.
enum GUID {
  /// Whether a text is 8-4-4-4-12 hexadecimal digits.
  static func isGUID(_ text: some StringProtocol) -> Bool {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    return groups.map(\.utf8.count) == [8, 4, 4, 4, 12] && groups.allSatisfy { isHexadecimal($0) }
  }

  /// The GUID that a text means: in braces or quotation marks, behind a scheme, or without its hyphens.
  static func mended(_ text: String) -> String? {
    let body = text.split(whereSeparator: { "{}()[]\"'“”:/ ".contains($0) }).last.map(String.init) ?? ""
    if isGUID(body) { return body == text ? nil : body }
    guard body.utf8.count == 32, isHexadecimal(body) else { return nil }
    var rest = body[...]
    let groups = [8, 4, 4, 4, 12].map { length in
      let group = rest.prefix(length)
      rest = rest.dropFirst(length)
      return String(group)
    }
    return groups.joined(separator: "-")
  }

  private static func isHexadecimal(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.allSatisfy(\.properties.isASCIIHexDigit)
  }
}
