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

  @Test("An error number is told in words, and the App Sandbox's refusal says what to switch on", arguments: rows)
  func number(_ number: CInt, _ code: ErrorCode, _ words: String, _ suggestion: String?) {
    let error = ConnectorError(listening: number, port: 8400)
    #expect(error.code == code)
    #expect(error.message.hasPrefix(words))
    #expect((error.underlying as NSError?)?.code == Int(number))
    #expect((error.recoverySuggestion == nil) == (suggestion == nil))
    if let suggestion { #expect(error.recoverySuggestion?.contains(suggestion) == true) }
  }
}
