internal import Foundation

/// The dictionaries of the format that say something about a record.
enum MSALSection: String, CaseIterable {
  case account = "Account"
  case idToken = "IdToken"
  case refreshToken = "RefreshToken"
  case accessToken = "AccessToken"
}

/// One entry of a dictionary, whatever it is.
struct MSALEntry {
  private let fields: [String: JSONValue]

  init(_ fields: [String: JSONValue]) {
    self.fields = fields
  }

  /// A text; empty ones count as none.
  func text(_ name: String) -> String? {
    fields[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A time in seconds since 1970; the format has texts, some writers numbers.
  func date(_ name: String) -> Date? {
    fields[name]?.double.map(Date.init(timeIntervalSince1970:))
  }

  var scopes: Set<String> {
    Set((text("target") ?? "").split(separator: " ").map(String.init))
  }

  /// Bearer tokens can be used as they are; others are bound to a key that is not in the cache.
  var isBearer: Bool {
    (text("token_type") ?? "Bearer").lowercased() == "bearer"
  }
}
