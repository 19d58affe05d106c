import B2CCore
import B2COAuth
import Testing

@Suite("Proof keys")
struct AuthorizationRequestPKCETests {
  @Test("The challenge is the one of RFC 7636 appendix B")
  func vector() {
    let key = PKCE(verifier: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test("A verifier has 43 unreserved characters and is never given twice")
  func fresh() {
    let keys = (0..<1_000).map { _ in PKCE() }
    #expect(Set(keys.map(\.verifier.value)).count == 1_000)
    for key in keys {
      #expect(key.verifier.value.count == 43)
      #expect(key.verifier.value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) })
      #expect(!key.verifier.value.isEmpty && key.challenge != key.verifier.value)
    }
  }
}
