import B2CCore
import Foundation

// The URL of the task server.
extension SettingsReader {
  mutating func readTaskWebAPI() -> URL? {
    guard let entry = text(.taskWebAPI) else { return nil }
    var parts = URLParts(entry.text)
    if let stray = URLParts.strayCharacter(in: entry.text) {
      let code = String(stray.value, radix: 16, uppercase: true)
      note(entry, .invalidURL, "The URL has a character that must be escaped or is a slip: U+\(code).", nil)
      return nil
    }
    let isComplete = Self.addScheme(&parts, text: entry.text)
    let mended = Self.mended(parts)
    guard isComplete else {
      note(entry, .invalidURL, "The URL has no scheme.", mended)
      return nil
    }
    return check(entry, parts, mended: mended)
  }

  private mutating func check(_ entry: Entry, _ parts: URLParts, mended: String?) -> URL? {
    let scheme = parts.scheme?.lowercased()
    var isRight = true
    if scheme != "https", scheme != "http" {
      note(entry, .invalidURL, "The URL is neither https nor http.", nil)
      return nil
    }
    guard parts.hasUsableHost, let host = parts.host else {
      note(entry, .invalidURL, "The URL has no host, or a host or port that cannot be.", nil)
      return nil
    }
    if parts.userInfo != nil {
      note(
        entry, .userInfoInURL, "The URL carries a user name or a password, which would be sent to the server.", mended)
      isRight = false
    }
    if parts.fragment != nil {
      note(entry, .invalidURL, "The URL has a fragment (#), which is never sent.", mended)
      isRight = false
    }
    if Self.portInPath(parts) != nil {
      note(entry, .portInPath, "The port stands at the end of the path.", mended)
      isRight = false
    }
    if scheme == "http", !Loopback.isLoopback(host: host) {
      note(entry, .insecureURL, "The token would be sent over http, readable by everyone on the way.", mended)
      isRight = false
    }
    guard isRight else { return nil }
    guard let url = URL(string: entry.text), Loopback.isAllowed(url) else {
      note(entry, .invalidURL, "The text is no URL.", nil)
      return nil
    }
    return url
  }

  private mutating func note(
    _ entry: Entry, _ kind: SettingsProblem.Kind, _ message: String, _ mended: String?
  ) {
    let showsValue = !entry.text.contains("@")
    findings.add(
      .about(entry, kind, showsValue: showsValue, message, correctedValue: mended), at: entry.offset)
  }

  /// `localhost:3000/tasks` and `contoso.com/tasks` have only their scheme missing; false when it was.
  private static func addScheme(_ parts: inout URLParts, text: String) -> Bool {
    guard parts.host == nil else { return parts.scheme != nil }
    let isHostAndPort = parts.scheme != nil && parts.path.utf8.first.map { (0x30...0x39).contains($0) } == true
    guard parts.scheme == nil || isHostAndPort else { return true }
    var completed = URLParts("https://" + text.drop { $0 == "/" })
    if let host = completed.host, Loopback.isLoopback(host: host) { completed.scheme = "http" }
    guard completed.hasUsableHost else { return false }
    parts = completed
    return false
  }

  /// The URL with everything mended that can be.
  private static func mended(_ parts: URLParts) -> String? {
    var parts = parts
    guard let host = parts.host else { return nil }
    parts.userInfo = nil
    parts.fragment = nil
    if let (path, port) = portInPath(parts) {
      parts.path = path
      parts.port = port
    }
    if parts.scheme?.lowercased() == "http", !Loopback.isLoopback(host: host) { parts.scheme = "https" }
    guard parts.hasUsableHost, ["http", "https"].contains(parts.scheme?.lowercased()) else { return nil }
    return parts.text
  }

  /// The tutorial's `http://localhost/tasks:3000` is port 80 and a path with a colon.
  private static func portInPath(_ parts: URLParts) -> (path: String, port: String)? {
    guard parts.port == nil, let colon = parts.path.lastIndex(of: ":") else { return nil }
    let behind = parts.path[parts.path.index(after: colon)...]
    let digits = behind.hasSuffix("/") ? behind.dropLast() : behind
    guard URLParts.isPort(digits) else { return nil }
    return (String(parts.path[..<colon]) + (digits.count == behind.count ? "" : "/"), String(digits))
  }
}
