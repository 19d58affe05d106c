import B2CCore

/// An issuer named by metadata, taken apart as strictly as an authority.
struct IssuerText {
  /// Lower-cased scheme, host and port.
  let origin: String
  /// The lower-cased host.
  let host: String
  /// The path as written, without a slash at its end.
  let path: String
  /// The path's lower-cased segments.
  let segments: [String]

  /// `nil` for what no issuer may be: another scheme, user-info, a query, a fragment, blanks and the like.
  init?(_ issuer: String) {
    // The only braces an issuer may have; anything in their place will do to read the rest.
    let placeholder = "{tenantid}"
    let standIn = "tenantid-placeholder"
    guard !issuer.contains("?"), !issuer.contains(standIn),
      let text = try? AuthorityText(issuer.replacing(placeholder, with: standIn))
    else { return nil }
    origin = text.origin.lowercased()
    host = text.host.lowercased()
    path = text.segments.map { "/" + $0 }.joined()
    segments = text.segments.map { $0 == standIn ? placeholder : $0.lowercased() }
    guard !host.contains(standIn) else { return nil }
  }

  /// The tenant in `<first>/<tenant>/…/v2.0`.
  func tenant(behind first: [String]) -> String? {
    // Entra ID's older tokens come from https://sts.windows.net/<tenant>/.
    if first.isEmpty, host == "sts.windows.net", segments.count == 1 { return segments[0] }
    guard segments.last == "v2.0", segments.count == (first.isEmpty ? 2 : 4), segments.starts(with: first) else {
      return nil
    }
    return segments[first.count]
  }
}
