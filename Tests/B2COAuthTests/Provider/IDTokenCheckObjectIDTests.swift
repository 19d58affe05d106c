import B2CConnector
import B2CCore
import B2CIDToken
import B2CTestKit
import TestSupport
import Testing

@Suite("An id_token whose user is in a claim that it lacks")
struct IDTokenCheckObjectIDTests {
  @Test("The advice is to add the claim to the user flow")
  func advice() async throws {
    let scene = Scene {
      $0.changeIDTokenClaims = {
        $0["sub"] = .string(IDTokenClaims.subjectPlaceholder)
        $0["oid"] = nil
      }
    }
    let error = try await #require(throws: ConnectorError.self) { try await scene.connector().signIn() }
    #expect(error.code == .invalidResponse && error.message.contains("id_token is refused"))
    #expect(error.recoverySuggestion == "Add the claim User's Object ID to the user flow.")
  }
}
