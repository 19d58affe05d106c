import B2COAuth
import Testing

/// Tables of `PKCE.challenge(of:)` and of `RandomToken.make(bytes:)`.
@Suite("Proof keys")
struct ProofKeyTests {
  @Test("The challenge is the one of RFC 7636 appendix B")
  func vector() {
    let challenge = PKCE.challenge(of: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
    #expect(challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test("A verifier has 43 unreserved characters and is never given twice")
  func fresh() {
    let verifiers = (0..<1_000).map { _ in RandomToken.make(bytes: 32) }
    #expect(Set(verifiers.map(\.value)).count == 1_000)
    for verifier in verifiers {
      #expect(verifier.value.count == 43)
      #expect(verifier.value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._~".contains($0)) })
      #expect(PKCE.challenge(of: verifier) != verifier.value)
    }
  }
}
