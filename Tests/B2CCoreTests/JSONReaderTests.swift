import B2CCore
import Foundation
import Testing
import TestSupport

@Suite("The strict JSON reader", .hangLimit)
struct JSONReaderTests {
  @Test(
    "reads every kind of value",
    arguments: [
      ("null", JSONValue.null), (" true ", .bool(true)), ("\r\n\tfalse", .bool(false)), ("0", .integer(0)),
      ("-0", .integer(0)), ("-12", .integer(-12)), ("1.5e2", .integer(150)), ("0.5", .number(0.5)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775807", .integer(.max)),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)), (#""""#, .string("")),
      (#""\"\\\/\b\f\n\r\té\u00e9\uD83D\uDE00""#, .string("\"\\/\u{8}\u{C}\n\r\téé😀")), ("[]", .array([])),
      ("{}", .object([:])), (#"[1,"b",{"c":[]}]"#, .array([.integer(1), .string("b"), .object(["c": .array([])])])),
      ("\u{FEFF}[]", .array([])),
    ])
  func values(text: String, value: JSONValue) throws {
    #expect(try JSONReader.value(text.utf8) == value)
  }

  @Test(
    "names the first fault and its byte",
    arguments: [
      ("", "is empty", 0), ("<a>", "is HTML or XML instead of JSON", 0), ("nul", "is not JSON", 0),
      ("[1,]", "is not JSON", 3), ("{a:1}", "is not JSON", 1),
      ("{\"a\" 1}", "is not JSON", 5), ("[1 2]", "is not JSON", 3), ("[1", "is not JSON", 2),
      ("{} x", "continues after its end", 3), ("[\"abc", "has a string that does not end", 5),
      ("[\"a\u{1}\"]", "has a control character in a string", 3), ("[\"\\x\"]", "has an unknown escape", 2),
      ("[\"\\uD800\"]", "has half of a surrogate pair", 8), ("[\"\\uDC00\"]", "has half of a surrogate pair", 8),
      ("[1e400]", "has a number out of range", 1),
      ("[" + String(repeating: "9", count: 129) + "]", "has a number out of range", 1),
      (#"{"a":1,"b":{},"a":2}"#, "has a key twice", 14), (#"[{"a":1,"\u0061":2}]"#, "has a key twice", 8),
    ])
  func faults(text: String, reason: String, offset: Int) {
    let fault = #expect(throws: InvalidJSON.self) { try JSONReader.value(text.utf8) }
    #expect(fault?.reason == reason && fault?.offset == offset)
  }

  @Test("refuses bytes that are not UTF-8", arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]])
  func invalidUTF8(bytes: [UInt8]) {
    let text = Array("[\"".utf8) + bytes + Array("\"]".utf8)
    let fault = #expect(throws: InvalidJSON.self) { try JSONReader.value(text) }
    #expect(fault?.reason == "is not UTF-8" && fault?.offset == 2)
  }

  @Test("wants an object where one is expected, and no byte order mark where none may be")
  func objects() throws {
    #expect(try JSONReader.object(#"{"a":1}"#.utf8) == ["a": .integer(1)])
    let array = #expect(throws: InvalidJSON.self) { try JSONReader.object(" []".utf8) }
    #expect(array?.reason == "is not a JSON object" && array?.offset == 0)
    let mark = #expect(throws: InvalidJSON.self) {
      try JSONReader.object("\u{FEFF}{}".utf8, mayHaveByteOrderMark: false)
    }
    #expect(mark?.reason == "is not JSON" && mark?.offset == 0)
  }

  /// Every shape that can be nested, around nothing.
  private static func nested(_ depth: Int, _ shape: String) -> [UInt8] {
    let (opening, closing) = shape == "array" ? ("[", "]") : ("{\"a\":", "}")
    return Array((String(repeating: opening, count: depth) + "1" + String(repeating: closing, count: depth)).utf8)
  }

  @Test(
    "refuses what is nested more than 32 deep, on the smallest stack that a thread of Apple's has",
    arguments: ["array", "object"], [(31, true), (32, true), (33, false), (500, false), (200_000, false)])
  func depth(shape: String, expected: (depth: Int, isRead: Bool)) async {
    let text = Self.nested(expected.depth, shape)
    let result = await onSmallStack { () -> String? in
      do throws(InvalidJSON) {
        _ = try JSONReader.value(text)
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(result == (expected.isRead ? nil : "is nested more than 32 deep"))
  }
}

/// Runs work on a thread with 512 KiB of stack, Apple's size for threads other than the main one.
func onSmallStack<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    let thread = Thread { continuation.resume(returning: work()) }
    thread.stackSize = 512 * 1_024
    thread.start()
  }
}
