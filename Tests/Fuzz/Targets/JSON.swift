import B2CCore
import Foundation

extension FuzzTarget {
  /// The strict JSON reader.
  static let json = FuzzTarget(name: "json", parse: { _ = try? JSONReader.value($0) }, check: checkJSON)

  @Sendable private static func checkJSON(_ input: [UInt8]) throws {
    let value: JSONValue
    do throws(InvalidJSON) {
      value = try JSONReader.value(input)
    } catch {
      try expect((0...input.count).contains(error.offset), "a fault outside the text")
      return
    }
    try expect((try? JSONReader.object(input)) == value.object, "an object is read in two ways")
    // Whatever is accepted here means the same to another reader, and to this one after it was written.
    let other = try? JSONDecoder().decode(JSONValue.self, from: Data(input))
    try expect(other.map { isSame($0, value) } ?? false, "Foundation reads \(String(describing: other)), not \(value)")
    guard let written = try? JSONEncoder().encode(value) else { throw Broken("cannot be written: \(value)") }
    let again = try? JSONReader.value(written)
    try expect(again == value, "written and read again: \(String(describing: again)), not \(value)")
  }

  private static func isAlmostSame(_ left: Double, _ right: Double) -> Bool {
    abs(left) >= 0x1p53 && abs(left - right) <= left.ulp
  }

  /// Beyond 2^53 a number with a fraction has no exact form: one reader takes it for whole, another does not.
  static func isSame(_ left: JSONValue, _ right: JSONValue) -> Bool {
    switch (left, right) {
    case (.array(let left), .array(let right)): left.count == right.count && zip(left, right).allSatisfy(isSame)
    case (.object(let left), .object(let right)):
      left.count == right.count
        && left.allSatisfy { field in right[field.key].map { isSame(field.value, $0) } ?? false }
    default: left == right || isAlmostSame(left.double ?? 0, right.double ?? 0)
    }
  }
}
