internal import Foundation

/// The environment variables from which libcurl takes a proxy for plain http.
///
/// The lower-case `http_proxy` counts, then `all_proxy`, then `ALL_PROXY`; `HTTP_PROXY` does not. An empty variable counts
/// as none. `no_proxy`, then `NO_PROXY`, names the hosts that are called directly.
package struct ProxyEnvironment: Sendable {
  /// This machine, as `no_proxy` names it.
  private static let thisMachine = ["localhost", "127.0.0.1", "::1"]

  private let read: @Sendable (String) -> String?

  /// Makes an environment from a function that reads a variable.
  init(reading read: @escaping @Sendable (String) -> String?) {
    self.read = read
  }

  /// Makes an environment of given variables.
  ///
  /// - Parameter variables: The values by name.
  package init(_ variables: [String: String]) {
    self.init { variables[$0] }
  }

  /// Finds the proxy that libcurl would send plain http for a host to.
  ///
  /// - Parameter host: The host name or address, an IPv6 address without brackets.
  /// - Returns: The variable that names the proxy; `nil` when libcurl connects to the host itself.
  package func proxyVariable(forHost host: String) -> String? {
    let variable = ["http_proxy", "all_proxy", "ALL_PROXY"].first { value($0) != nil }
    return isExempt(host.lowercased()) ? nil : variable
  }

  /// The `no_proxy` with which plain http to this machine is sent directly; `nil` when it is already.
  package var noProxyForThisMachine: String? {
    let missing = Self.thisMachine.filter { proxyVariable(forHost: $0) != nil }
    return missing.isEmpty ? nil : ([noProxy].compactMap(\.self) + missing).joined(separator: ",")
  }

  private var noProxy: String? { value("no_proxy") ?? value("NO_PROXY") }

  private func value(_ name: String) -> String? {
    read(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether every libcurl connects to the host itself; where its versions differ, this says no.
  ///
  /// A name matches a suffix of whole labels, with or without a dot before it. An entry with a port matches nothing, and a
  /// `*` only alone. Ranges such as `127.0.0.0/8` are read from version 7.86 on only.
  private func isExempt(_ host: String) -> Bool {
    guard let noProxy else { return false }
    if noProxy == "*" { return true }
    let isName = !host.contains(":") && host.contains { !$0.isNumber && $0 != "." }
    return noProxy.lowercased().split(whereSeparator: { $0 == "," || $0 == " " }).contains { entry in
      guard isName else { return entry == host }
      let name = entry.hasPrefix(".") ? entry.dropFirst() : entry
      return name == host || (!name.isEmpty && host.hasSuffix("." + name))
    }
  }
}
