import B2CCore

/// The host and port of an authority's text, each checked.
struct HostAndPort {
  let host: String
  let port: Int?

  /// Reads `host[:port]`; what stands around it in the text is given so that a mended whole can be offered.
  init(_ text: String, prefix: String, suffix: String) throws(Defect) {
    let name: String
    let digits: Substring?
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      name = String(text[...end])
      digits = try Self.digits(after: text[text.index(after: end)...])
    } else {
      name = String(text.prefix { $0 != ":" })
      digits = try Self.digits(after: text[name.endIndex...])
    }
    if name.hasPrefix("[") || name.contains("]") {
      guard name == "[::1]" else {
        throw Defect(.invalidHost, "The only IPv6 address that an authority may have is [::1].")
      }
      host = "::1"
    } else {
      host = name
      try HostName.check(name, prefix: prefix, suffix: (digits.map { ":" + $0 } ?? "") + suffix)
    }
    guard let digits else {
      port = nil
      return
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      !digits.hasPrefix("0"), let number = Int(digits), number <= 65_535
    else {
      throw Defect(
        .invalidPort, "The authority's port is no number from 1 to 65535.", mended: prefix + name + suffix,
        recovery: "Remove the colon and what follows it, or give the port that the service listens on.")
    }
    port = number
  }

  private static func digits(after rest: Substring) throws(Defect) -> Substring? {
    guard !rest.isEmpty else { return nil }
    guard rest.hasPrefix(":") else {
      throw Defect(.invalidHost, "The authority's host is followed by other characters.")
    }
    return rest.dropFirst()
  }
}
