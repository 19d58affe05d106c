/// Comparisons that see bytes, where Swift's `==` sees canonical equivalence and `lowercased()` folds foreign letters
/// into ASCII (the Kelvin sign into `k`).
package enum ASCIIText {
  package static func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.withContiguousStorageIfAvailable { left in
      right.utf8.withContiguousStorageIfAvailable { right in left.elementsEqual(right) }
    }.flatMap(\.self) ?? left.utf8.elementsEqual(right.utf8)
  }

  package static func lowercased(_ text: String) -> String {
    String(
      decoding: text.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  package static func isSameIgnoringCase(_ left: String, _ right: String) -> Bool {
    isSame(lowercased(left), lowercased(right))
  }
}
