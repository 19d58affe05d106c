package import Foundation

/// Reads a DER sequence of non-negative integers, which is what a PKCS #1 public key is (RFC 8017 appendix A.1.1).
package enum DERIntegers {
  /// The integers' bytes without sign byte, or `nil` for anything else.
  package static func read(_ data: Data) -> [Data]? {
    var bytes = Array(data)[...]
    guard let content = element(tag: 0x30, from: &bytes), bytes.isEmpty else { return nil }
    var rest = content
    var integers: [Data] = []
    while !rest.isEmpty {
      guard let integer = element(tag: 0x02, from: &rest) else { return nil }
      integers.append(Data(integer.drop { $0 == 0 }))
    }
    return integers
  }

  private static func element(tag: UInt8, from bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.popFirst() == tag, let first = bytes.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let count = Int(first & 0x7F)
      guard (1...4).contains(count), bytes.count >= count else { return nil }
      length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      bytes = bytes.dropFirst(count)
    }
    guard bytes.count >= length else { return nil }
    let content = bytes.prefix(length)
    bytes = bytes.dropFirst(length)
    return content
  }
}
