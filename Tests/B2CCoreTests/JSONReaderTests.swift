import Foundation
import Testing

@testable import B2CCore

@Suite("The strict JSON reader", .timeLimit(.minutes(10)))
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
      ("", JSONFault.Kind.missingValue, 0), ("nul", .missingValue, 0), ("[1,]", .missingValue, 3),
      ("[01]", .missingValue, 1),
      ("[1.]", .missingValue, 1), ("[1e]", .missingValue, 1), ("[+1]", .missingValue, 1), ("[.5]", .missingValue, 1),
      ("{a:1}", .missingKey, 1), ("{\"a\":1,}", .missingKey, 7), ("{\"a\" 1}", .missingColon, 5),
      ("{\"a\":1 \"b\":2}", .missingComma, 7), ("[1 2]", .missingComma, 3), ("[1", .missingComma, 2),
      ("{} x", .trailingContent, 3), ("[\"abc", .unterminatedString, 1), ("[\"a\\n", .unterminatedString, 1),
      ("[\"a\u{1}\"]", .controlCharacter, 3), ("[\"\\x\"]", .invalidEscape, 2), ("[\"\\u12\"]", .invalidEscape, 2),
      ("[\"\\uD800\"]", .invalidEscape, 8), ("[\"\\uDC00\"]", .invalidEscape, 2), ("[1e400]", .numberOutOfRange, 1),
      ("[" + String(repeating: "9", count: 129) + "]", .numberOutOfRange, 1),
      (#"{"a":1,"b":{},"a":2}"#, .duplicateKey, 14), (#"[{"a":1,"\u0061":2}]"#, .duplicateKey, 8),
    ])
  func faults(text: String, kind: JSONFault.Kind, offset: Int) {
    #expect(throws: JSONFault(kind: kind, offset: offset)) { try JSONReader.value(text.utf8) }
  }

  @Test("refuses runs of combining marks, which strings sort in quadratic time (UAX #15 section 13)")
  func marks() throws {
    let marks = { (count: Int) in
      String(repeating: "\u{301}", count: count / 2) + String(repeating: "\u{316}", count: count / 2)
    }
    #expect(try JSONReader.value("[\"a\(marks(30))\"]".utf8).array?.count == 1)
    for text in ["[\"a\(marks(32))\"]", "{\"a\(marks(500_000))\":1}"] {
      let fault = #expect(throws: JSONFault.self) { try JSONReader.value(text.utf8) }
      #expect(fault?.kind == .tooManyMarks)
    }
  }

  @Test("refuses bytes that are not UTF-8", arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82]])
  func invalidUTF8(bytes: [UInt8]) {
    let text = Array("[\"".utf8) + bytes + Array("\"]".utf8)
    #expect(throws: JSONFault(kind: .invalidUTF8, offset: 2)) { try JSONReader.value(text) }
  }

  @Test("wants an object where one is expected, and no byte order mark where none may be")
  func objects() throws {
    #expect(try JSONReader.object(#"{"a":1}"#.utf8) == ["a": .integer(1)])
    #expect(throws: JSONFault(kind: .notAnObject, offset: 1)) { try JSONReader.object(" []".utf8) }
    #expect(throws: JSONFault(kind: .missingValue, offset: 0)) {
      try JSONReader.object("\u{FEFF}{}".utf8, mayHaveByteOrderMark: false)
    }
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
    let result = await onSmallStack { () -> JSONFault.Kind? in
      do throws(JSONFault) {
        _ = try JSONReader.value(text)
        return nil
      } catch {
        return error.kind
      }
    }
    #expect(result == (expected.isRead ? nil : .tooDeep))
  }

  @Test(
    "looks at each byte a bounded number of times, whatever the text",
    arguments: [
      "[", "{\"a\":", "\"", "\\", "\"\\u0061", "1", "-", "1e", " ", ",", "[],", "\"a\":1,", "{\"a\":1,\"b\":[1,2]},",
      "\"a\\n\",", "é", "tru", "0.1,",
    ])
  func linear(piece: String) {
    for prefix in ["", "[", "{", "[\""] {
      let text = { (count: Int) in Array((prefix + String(repeating: piece, count: count)).utf8) }
      #expect(JSONReader.steps(reading: text(20_000)) <= 8 * text(20_000).count + 64)
    }
  }

  @Test("reads an object of distinct keys in steps that double with its size")
  func manyKeys() throws {
    let text = { (count: Int) in Array(("{" + (0..<count).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}").utf8)
    }
    #expect(try JSONReader.object(text(20_000)).count == 20_000)
    let ratio = Double(JSONReader.steps(reading: text(20_000))) / Double(JSONReader.steps(reading: text(10_000)))
    #expect(ratio < 2.2)
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
