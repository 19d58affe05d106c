import B2CCore
import Foundation
import TestSupport
import Testing

@Suite("The search for secrets")
struct SecretSweepTests {
  private static let secret = "eyJhbGciOiJSUzI1NiJ9.Zm9vYmFy+/Y2FuYXJ5~tail"
  private static let sweep = SecretSweep([secret])

  /// A form of the secret by name, as a program might leave it.
  private static let forms: [String: @Sendable (String) -> String] = [
    "plain": { $0 }, "upper case": { $0.uppercased() }, "lower case": { $0.lowercased() },
    "first half": { String($0.prefix(20)) }, "last twelve": { String($0.suffix(12)) },
    "middle": { String($0.dropFirst(15).prefix(12)) },
    "base64": { Data($0.utf8).base64EncodedString() },
    "base64 behind one byte": { Data(("x" + $0).utf8).base64EncodedString() },
    "base64 behind two bytes": { Data(("xy" + $0).utf8).base64EncodedString() },
    "base64 in other bytes, upper case": { Data(("token=" + $0 + "&x=y").utf8).base64EncodedString().uppercased() },
    "base64url": { Base64URL.encode(Array($0.utf8)) },
    "base64url behind one byte": { Base64URL.encode(Array(("x" + $0).utf8)) },
    "hexadecimal": { $0.utf8.map { String($0, radix: 16) }.joined() },
    "hexadecimal, upper case": { $0.utf8.map { String($0, radix: 16, uppercase: true) }.joined() },
    "percent-encoded": { $0.utf8.map { "%" + String($0, radix: 16) }.joined() },
    "percent-encoded, upper case": { $0.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined() },
  ]

  @Test("Every form of a secret is found, wherever it is in a text", arguments: forms.keys.sorted())
  func finds(_ name: String) throws {
    let make = try #require(Self.forms[name])
    let form = make(Self.secret)
    for text in [form, "before \(form)", "\(form) after", "error: '\(form)' in line 3"] {
      let trace = try #require(Self.sweep.trace(in: text.utf8))
      #expect(text.lowercased().contains(trace))
    }
  }

  @Test("Bytes that are the difference between base64 and base64url are found in both")
  func bothAlphabets() {
    let secret = String(repeating: "~~~???>>>", count: 4)
    let sweep = SecretSweep([secret])
    let base64 = Data(secret.utf8).base64EncodedString()
    let base64URL = Base64URL.encode(Array(secret.utf8))
    #expect(base64.contains("/") && base64.contains("+") && base64URL.contains("_") && base64URL.contains("-"))
    for text in [base64, base64URL] { #expect(sweep.trace(in: text.utf8) != nil) }
  }

  @Test("What is no piece of a secret is not found, nor eleven bytes of one")
  func findsNothingElse() {
    let others = ["", "short", "A harmless text of more than twelve bytes", String(Self.secret.reversed())]
    for text in others + [String(Self.secret.prefix(11))] {
      #expect(Self.sweep.trace(in: text.utf8) == nil)
    }
  }

  @Test("Each of many secrets is found, in a long text too")
  func many() {
    let secrets = (0..<50).map { "secret-number-\($0)-" + String(repeating: "\($0)", count: 20) }
    let filler = (0..<100).map { "line \($0)" }.joined(separator: "\n")
    let sweep = SecretSweep(secrets)
    #expect(sweep.trace(in: filler.utf8) == nil)
    for secret in secrets {
      let text = filler + secret.suffix(14) + filler
      #expect(sweep.trace(in: text.utf8) != nil)
    }
  }
}
