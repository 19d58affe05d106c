#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import B2CLoopback
import Testing

@Suite("Why a port cannot be listened on")
struct LoopbackListenerErrorTests {
  static let rows: [(CInt, LoopbackListenerError.Code, suggestion: String?)] = [
    (EADDRINUSE, .portInUse, nil), (EACCES, .portForbidden, nil),
    (EPERM, .portForbidden, "Incoming Connections (Server)"), (EADDRNOTAVAIL, .noAddress, nil), (EMFILE, .system, nil),
  ]

  @Test("An error number becomes a code, and the App Sandbox's refusal says what to switch on", arguments: rows.indices)
  func number(_ index: Int) {
    let row = Self.rows[index]
    let error = LoopbackListenerError(number: row.0, port: 8400)
    #expect(error.code == row.1)
    if let suggestion = row.suggestion {
      #expect(error.recoverySuggestion?.contains(suggestion) == true)
      #expect(error.recoverySuggestion?.contains("App Sandbox") == true)
    } else {
      #expect(error.recoverySuggestion == nil)
    }
    if error.code == .portForbidden { #expect(error.message.hasPrefix("Listening on port 8400 is not allowed: ")) }
  }
}
