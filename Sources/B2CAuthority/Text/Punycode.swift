/// Decodes the labels of internationalized host names (RFC 3492).
enum Punycode {
  /// The label's text, given what follows `xn--`; `nil` when it is no punycode.
  static func decode(_ label: some StringProtocol) -> String? {
    let input = Array(label.utf8)
    guard input.count <= 63 else { return nil }
    let delimiter = input.lastIndex(of: UInt8(ascii: "-"))
    var output = (delimiter.map { input[..<$0] } ?? []).map { UInt32($0) }
    var index = delimiter.map { $0 + 1 } ?? 0
    var code = 128
    var position = 0
    var bias = 72
    while index < input.count {
      let start = position
      var weight = 1
      var threshold = 36
      while true {
        guard index < input.count, let digit = digit(input[index]) else { return nil }
        index += 1
        position += digit * weight
        let limit = min(max(threshold - bias, 1), 26)
        if digit < limit { break }
        weight *= 36 - limit
        threshold += 36
        guard position <= 0x7FFF_FFFF, weight <= 0x7FFF_FFFF else { return nil }
      }
      guard position <= 0x7FFF_FFFF else { return nil }
      bias = adapt(position - start, count: output.count + 1, isFirst: start == 0)
      code += position / (output.count + 1)
      position %= output.count + 1
      guard code <= 0x10FFFF else { return nil }
      output.insert(UInt32(code), at: position)
      position += 1
    }
    var view = String.UnicodeScalarView()
    for value in output {
      guard let scalar = Unicode.Scalar(value) else { return nil }
      view.append(scalar)
    }
    return String(view)
  }

  private static func digit(_ byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 26
    default: nil
    }
  }

  private static func adapt(_ change: Int, count: Int, isFirst: Bool) -> Int {
    var delta = change / (isFirst ? 700 : 2)
    delta += delta / count
    var bias = 0
    while delta > 455 {
      delta /= 35
      bias += 36
    }
    return bias + 36 * delta / (delta + 38)
  }
}
