internal import Foundation

/// Reads one date from the bytes of a text.
struct ISO8601Reader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
  }

  mutating func date() -> Date? {
    guard let day = day() else { return nil }
    var seconds: Int64 = 0
    var fraction = 0.0
    var offset: Int64 = 0
    if position < bytes.count {
      guard take(where: { $0 == UInt8(ascii: "T") || $0 == UInt8(ascii: "t") || $0 == UInt8(ascii: " ") }),
        let time = time(), let zone = zone()
      else { return nil }
      seconds = time.seconds
      fraction = time.fraction
      offset = zone
    }
    guard position == bytes.count else { return nil }
    return Date(timeIntervalSince1970: Double(day * 86_400 + seconds - offset) + fraction)
  }

  private mutating func day() -> Int64? {
    guard let year = year(), take("-"), let month = number(2), take("-"), let day = number(2),
      (1...12).contains(month), (1...Self.length(of: month, in: year)).contains(day)
    else { return nil }
    return ISO8601.days(year: year, month: month, day: day)
  }

  /// Four digits, or a sign and six as JavaScript writes them.
  private mutating func year() -> Int64? {
    if take("+") { return number(6) }
    if take("-") { return number(6).map { -$0 } }
    return number(4)
  }

  private mutating func time() -> (seconds: Int64, fraction: Double)? {
    guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60 else { return nil }
    guard take(":") else { return (hour * 3600 + minute * 60, 0) }
    // 60 is a leap second.
    guard let second = number(2), second <= 60 else { return nil }
    guard take(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }) else {
      return (hour * 3600 + minute * 60 + second, 0)
    }
    guard let fraction = fraction() else { return nil }
    return (hour * 3600 + minute * 60 + second, fraction)
  }

  /// Digits behind the point; those after the ninth no longer count.
  private mutating func fraction() -> Double? {
    let start = position
    var value: Int64 = 0
    var scale: Int64 = 1
    while let digit = digit() {
      if scale < 1_000_000_000 {
        value = value * 10 + digit
        scale *= 10
      }
    }
    return position == start ? nil : Double(value) / Double(scale)
  }

  private mutating func zone() -> Int64? {
    if position == bytes.count { return 0 }
    if take(where: { $0 == UInt8(ascii: "Z") || $0 == UInt8(ascii: "z") }) { return 0 }
    let sign: Int64
    if take("+") {
      sign = 1
    } else if take("-") {
      sign = -1
    } else {
      return nil
    }
    guard let hours = number(2), hours < 24 else { return nil }
    if position == bytes.count { return sign * hours * 3600 }
    _ = take(":")
    guard let minutes = number(2), minutes < 60 else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }

  private mutating func number(_ count: Int) -> Int64? {
    var value: Int64 = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  private mutating func digit() -> Int64? {
    guard position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else { return nil }
    defer { position += 1 }
    return Int64(bytes[position] - UInt8(ascii: "0"))
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    take { $0 == UInt8(ascii: scalar) }
  }

  private mutating func take(where matches: (UInt8) -> Bool) -> Bool {
    guard position < bytes.count, matches(bytes[position]) else { return false }
    position += 1
    return true
  }

  private static func length(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
