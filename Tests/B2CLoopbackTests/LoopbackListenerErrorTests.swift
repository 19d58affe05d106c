#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import B2CCore
import B2CLoopback
import Testing

@Suite("Why a port cannot be listened on")
struct LoopbackListenerErrorTests {
  static let rows: [(CInt, HostSystem, LoopbackListenerError.Code, suggestion: String?)] = [
    (EADDRINUSE, .mac, .portInUse, nil), (EACCES, .mac, .portForbidden, nil),
    (EPERM, .mac, .portForbidden, "Incoming Connections (Server)"), (EPERM, .other, .portForbidden, nil),
    (EPERM, .device, .portForbidden, nil), (EADDRNOTAVAIL, .mac, .noAddress, nil), (EMFILE, .mac, .system, nil),
  ]

  @Test("An error number becomes a code, and the App Sandbox's refusal says what to switch on", arguments: rows.indices)
  func number(_ index: Int) {
    let row = Self.rows[index]
    let error = LoopbackListenerError(number: row.0, port: 8400, on: row.1)
    #expect(error.code == row.2)
    if let suggestion = row.suggestion {
      #expect(error.recoverySuggestion?.contains(suggestion) == true)
      #expect(error.recoverySuggestion?.contains("App Sandbox") == true)
    } else {
      #expect(error.recoverySuggestion == nil)
    }
    if error.code == .portForbidden { #expect(error.message.hasPrefix("Listening on port 8400 is not allowed: ")) }
  }
}
