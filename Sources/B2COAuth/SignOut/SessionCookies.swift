internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The cookies of the authority in the app's shared storage, if somebody else's web view left any there.
enum SessionCookies {
  /// Removes the cookies of a host, and of no other; the sample removed everybody's.
  static func remove(of host: String) {
    let storage = HTTPCookieStorage.shared
    let host = host.lowercased()
    for cookie in storage.cookies ?? [] {
      let domain = cookie.domain.lowercased()
      let bare = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
      if bare == host || (domain.hasPrefix(".") && host.hasSuffix(domain)) { storage.deleteCookie(cookie) }
    }
  }
}
