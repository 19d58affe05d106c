import B2CCore

/// The rules for a host: a DNS name in ASCII, or a plain IPv4 address, and no imitation of Microsoft's names.
enum HostName {
  static func check(_ host: String, prefix: String, suffix: String) throws(Defect) {
    guard !host.isEmpty else {
      throw Defect(.invalidHost, "The authority has no host.", recovery: AuthorityText.example)
    }
    if let imitated = LookAlike.imitated(by: host) {
      throw Defect(
        .lookAlikeHost, "The authority's host looks like \(imitated.domain) and is another one.",
        mended: imitated.genuine.map { prefix + $0 + suffix },
        recovery: "Check where the address comes from before you use it.")
    }
    guard host.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw Defect(
        .invalidHost, "The authority's host has characters that are not ASCII.",
        recovery: "Write an internationalized host in its xn-- form.")
    }
    if host.hasSuffix("."), host.count > 1 {
      throw Defect(
        .invalidHost, "The authority's host ends in a dot.", mended: prefix + host.dropLast() + suffix,
        recovery: "Remove the dot.")
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard host.utf8.count <= 253, labels.allSatisfy(isLabel) else {
      throw Defect(.invalidHost, "The authority's host is no DNS name.", recovery: AuthorityText.example)
    }
    // A last label that is a number makes a resolver read the whole as an address, also 127.1 and 0x7f000001.
    if let last = labels.last, isNumeric(last) {
      guard labels.count == 4, labels.allSatisfy({ UInt8($0).map(String.init) == String($0) }) else {
        throw Defect(.invalidHost, "The authority's host is no IPv4 address of four decimal numbers.")
      }
    }
  }

  /// RFC 1123 section 2.1: letters, digits and inner hyphens, at most 63.
  private static func isLabel(_ label: Substring) -> Bool {
    let bytes = label.utf8
    return (1...63).contains(bytes.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
      && bytes.allSatisfy { PathSegment.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }
  }

  private static func isNumeric(_ label: Substring) -> Bool {
    let text = label.lowercased()
    return text.allSatisfy(\.isNumber) || (text.hasPrefix("0x") && text.dropFirst(2).allSatisfy(\.isHexDigit))
  }
}
