#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
import B2CCore
import B2CLoopback
import Foundation
import Testing

@Suite("Why a port cannot be listened on")
struct LoopbackListenerPortTests {
  static let rows: [(CInt, ErrorCode, words: String, suggestion: String?)] = [
    (EADDRINUSE, .portInUse, "Port 8400 is in use", "End that program"),
    (EACCES, .presentationFailed, "Port 8400 cannot be listened on: ", nil),
    (EPERM, .presentationFailed, "Port 8400 cannot be listened on: ", "App Sandbox needs Incoming Connections"),
    (EADDRNOTAVAIL, .presentationFailed, "Port 8400 cannot be listened on: ", nil),
    (EMFILE, .presentationFailed, "Port 8400 cannot be listened on: ", nil),
  ]

  @Test(
    "An error number is told in words, and the App Sandbox's refusal says what to switch on", arguments: rows.indices)
  func number(_ index: Int) throws {
    let row = Self.rows[index]
    let error = ConnectorError(listening: row.0, port: 8400)
    #expect(error.code == row.1)
    #expect(error.message.hasPrefix(row.words))
    #expect((error.underlying as NSError?)?.code == Int(row.0))
    if let suggestion = row.suggestion {
      #expect(error.recoverySuggestion?.contains(suggestion) == true)
    } else {
      #expect(error.recoverySuggestion == nil)
    }
  }
}
