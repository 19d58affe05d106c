internal import B2CHTTP

/// The `Authorization` header's bearer token (RFC 6750 section 2.1).
enum LocalBearer {
  static func token(in headers: HTTPHeaders) -> String? {
    guard let value = headers["Authorization"] else { return nil }
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
