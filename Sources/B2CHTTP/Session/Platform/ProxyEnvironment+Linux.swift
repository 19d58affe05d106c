#if canImport(FoundationNetworking)
  internal import Foundation

  extension ProxyEnvironment {
    /// The variables of this process, read anew for each request, as libcurl does.
    static let current = ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }

    private static let exemption: Void = {
      if let value = current.noProxyForThisMachine { _ = setenv("no_proxy", value, 1) }
    }()

    /// Adds this machine to `no_proxy` of this process, once, where plain http to it would go to a proxy.
    package static func exemptThisMachine() { exemption }
  }
#endif
