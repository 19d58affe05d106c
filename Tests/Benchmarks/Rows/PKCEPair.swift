import B2COAuth
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Row {
  static let pkce = Row(
    number: "10", title: "PKCE pair",
    meaning: "nothing: a sign-in has one and takes seconds; the row guards against carelessness"
  ) { context in
    let text = String(repeating: "a", count: 43)
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count {
        try fill()
        _ = SHA256Digest.of(text)
      }
    } subject: { count in
      for _ in 0..<count { _ = PKCE() }
    }
    return [
      Measurement("pair against 32 random bytes and one SHA-256", pairs, goal: 3),
      Measurement("pair, time", pairs.subject.median * 1e6, "µs"),
    ]
  }

  /// 32 random bytes in one call.
  private static func fill() throws {
    var bytes = [UInt8](repeating: 0, count: 32)
    #if canImport(Darwin)
      arc4random_buf(&bytes, bytes.count)
    #else
      guard getentropy(&bytes, bytes.count) == 0 else { throw Failure("there are no random bytes") }
    #endif
  }
}
