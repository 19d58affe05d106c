import B2CCore
import Foundation
import Testing

@Suite struct JSONValueTests {
  private static func decode(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  @Test(
    "Every kind of value is read and written back",
    arguments: [
      ("null", JSONValue.null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)), ("1", .integer(1)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775807", .integer(.max)), ("1.5", .number(1.5)),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)), (#""1""#, .string("1")),
      (#""true""#, .string("true")),
      ("[]", .array([])), ("{}", .object([:])),
      (
        #"{"a":[1,"b",null,{"c":false}]}"#,
        .object(["a": .array([.integer(1), .string("b"), .null, .object(["c": .bool(false)])])])
      ),
    ])
  func roundTrip(text: String, value: JSONValue) throws {
    #expect(try Self.decode(text) == value)
    let written = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: written) == value)
  }

  @Test("A value describes itself as JSON on one line, with names in order and no control character")
  func description() throws {
    let value: JSONValue = [
      "b": [1, .number(2.5), .null], "a": "line\n\"quoted\" \\ \u{1B}[0m \u{9B}é", "c": true, "d": [:],
    ]
    #expect("\(value)" == #"{"a":"line\n\"quoted\" \\ \u001b[0m \u009bé","b":[1,2.5,null],"c":true,"d":{}}"#)
    #expect(try Self.decode("\(value)") == value)
  }

  @Test("An accessor gives only values of its own kind")
  func accessors() {
    #expect(JSONValue.string("x").string == "x")
    #expect(JSONValue.integer(1).string == nil)
    #expect(JSONValue.bool(true).bool == true)
    #expect(JSONValue.integer(1).bool == nil)
    #expect(JSONValue.object(["a": .null]).object == ["a": .null])
    #expect(JSONValue.array([.null]).object == nil)
    #expect(JSONValue.array([.null]).array == [.null])
    #expect(JSONValue.null.array == nil)
  }

  // Azure AD B2C gives times both as numbers and as strings.
  @Test(
    "A number may be in a string",
    arguments: [
      (JSONValue.integer(3_600), 3_600 as Double?), (.number(0.5), 0.5), (.string("3600"), 3_600), (.string("x"), nil),
      (.string("inf"), nil), (.string("nan"), nil), (.string(""), nil), (.bool(true), nil), (.null, nil),
    ])
  func numbersInTexts(value: JSONValue, number: Double?) {
    #expect(value.double == number)
  }

  @Test("A number that is not finite is not written")
  func infinity() {
    #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSONValue.number(.infinity)) }
  }
}
