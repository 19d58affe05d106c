import B2CLoopback
import B2COAuth
import Testing

@Suite("Why a redirect cannot be listened for")
struct LoopbackPresenterRefusalTests {
  @Test("The system's refusal keeps its reason and its fix")
  func forbidden() {
    let refusal = LoopbackListenerError(
      .portForbidden, "Listening is not allowed.", recoverySuggestion: "Switch it on.")
    let error = OAuthError(listening: refusal, redirectPort: 8400)
    #expect(error.code == .presentationFailed)
    #expect(error.message.contains("Listening is not allowed."))
    #expect(error.recoverySuggestion == "Switch it on.")
    #expect((error.underlying as? LoopbackListenerError)?.message == refusal.message)
  }

  @Test("A port in use is named, with what to do")
  func inUse() {
    let error = OAuthError(listening: LoopbackListenerError(.portInUse, "In use."), redirectPort: 8400)
    #expect(error.code == .portInUse)
    #expect(error.message.contains("8400"))
    #expect(error.recoverySuggestion?.isEmpty == false)
  }
}
