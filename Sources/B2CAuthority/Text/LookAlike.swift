import Foundation

/// Finds hosts that imitate those of Microsoft.
///
/// The rule: two neighbouring labels of the host are compared with each of Microsoft's domains after `xn--` labels are
/// decoded, letters are lower-cased and freed of accents and width (Unicode NFKD without marks), and what looks alike in
/// ASCII is made one (`0` and `o`; `1`, `i` and `l`; `rn` and `m`; `vv` and `w`). Letters of other scripts that look like one
/// of ASCII's count as that one; any other stands for any one character, as long as half of the label is the same. A host
/// that matches without being Microsoft's, or that carries Microsoft's name in front of another domain, is an imitation.
enum LookAlike {
  /// The domain that a host imitates, and the host as it was probably meant, if that can be said.
  static func imitated(by host: String) -> (domain: String, genuine: String?)? {
    let labels = host.lowercased().split(whereSeparator: { ".。.。".contains($0) }).map(String.init)
    guard labels.count >= 2 else { return nil }
    let skeletons = labels.map(skeleton)
    for domain in MicrosoftHost.domains {
      let parts = domain.split(separator: ".").map { skeleton(String($0)) }
      for index in 0..<(labels.count - 1)
      where matches(skeletons[index], parts[0]) && matches(skeletons[index + 1], parts[1]) {
        let isLast = index == labels.count - 2
        if isLast, labels.suffix(2).joined(separator: ".") == domain, host.utf8.allSatisfy({ $0 < 0x80 }) { continue }
        let genuine = isLast ? (labels.dropLast(2) + [domain]).joined(separator: ".") : nil
        return (domain, genuine)
      }
    }
    return nil
  }

  /// Scalars with accents, width and look-alikes folded; 0 stands for any one character.
  private static func skeleton(_ label: String) -> [UInt8] {
    let readable = label.hasPrefix("xn--") ? Punycode.decode(label.dropFirst(4)) ?? label : label
    let folded = readable.decomposedStringWithCompatibilityMapping.lowercased()
    var bytes: [UInt8] = []
    for scalar in folded.unicodeScalars where !scalar.properties.generalCategory.isMark && ShownText.isVisible(scalar) {
      bytes.append((scalar.isASCII ? UInt8(scalar.value) : letters[scalar]).map(fold) ?? 0)
      if bytes.suffix(2) == [UInt8(ascii: "r"), UInt8(ascii: "n")] {
        bytes.replaceSubrange((bytes.count - 2)..., with: [UInt8(ascii: "m")])
      } else if bytes.suffix(2) == [UInt8(ascii: "v"), UInt8(ascii: "v")] {
        bytes.replaceSubrange((bytes.count - 2)..., with: [UInt8(ascii: "w")])
      }
    }
    return bytes
  }

  private static func fold(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0"): UInt8(ascii: "o")
    case UInt8(ascii: "1"), UInt8(ascii: "i"): UInt8(ascii: "l")
    default: byte
    }
  }

  private static func matches(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { $0 == 0 || $0 == $1 }
      && left.count { $0 != 0 } * 2 >= left.count
  }
}

extension Unicode.GeneralCategory {
  fileprivate var isMark: Bool { self == .nonspacingMark || self == .enclosingMark || self == .spacingMark }
}
