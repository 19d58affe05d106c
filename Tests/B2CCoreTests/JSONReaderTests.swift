import B2CCore
import Foundation
import Testing
import TestSupport

@Suite("The strict JSON reader", .hangLimit)
struct JSONReaderTests {
  @Test(
    "reads every kind of value as Foundation does, and what is written is the same value again",
    arguments: [
      ("null", JSONValue.null), (" true ", .bool(true)), ("\r\n\tfalse", .bool(false)), ("0", .integer(0)),
      ("-0", .integer(0)), ("-12", .integer(-12)), ("1", .integer(1)), ("1.5e2", .integer(150)), ("0.5", .number(0.5)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775807", .integer(.max)),
      ("9223372036854775808", .number(9_223_372_036_854_775_808)), (#""""#, .string("")), (#""1""#, .string("1")),
      (#""true""#, .string("true")),
      (#""\"\\\/\b\f\n\r\té\u00e9\uD83D\uDE00""#, .string("\"\\/\u{8}\u{C}\n\r\téé😀")),
      ("[]", .array([])), ("{}", .object([:])),
      (
        #"{"a":[1,"b",null,{"c":false}]}"#,
        .object(["a": .array([.integer(1), .string("b"), .null, .object(["c": .bool(false)])])])
      ),
    ])
  func values(text: String, value: JSONValue) throws {
    #expect(try JSONReader.value(text.utf8) == value)
    for data in [Data(text.utf8), try JSONEncoder().encode(value)] {
      #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
    }
  }

  @Test(
    "names the first fault and its byte",
    arguments: [
      ("", "is empty", 0), ("<a>", "is HTML or XML instead of JSON", 0), ("nul", "is not JSON", 0),
      ("[1,]", "is not JSON", 3), ("{a:1}", "is not JSON", 1), ("{\"a\" 1}", "is not JSON", 5),
      ("[1 2]", "is not JSON", 3), ("[1", "is not JSON", 2), ("{} x", "continues after its end", 3),
      ("[\"abc", "has a string that does not end", 5), ("[\"a\u{1}\"]", "has a control character in a string", 3),
      ("[\"\\x\"]", "has an unknown escape", 2), ("[\"\\uD800\"]", "has half of a surrogate pair", 8),
      ("[\"\\uDC00\"]", "has half of a surrogate pair", 8), ("[1e400]", "has a number out of range", 1),
      ("[" + String(repeating: "9", count: 129) + "]", "has a number out of range", 1),
      (#"{"a":1,"b":{},"a":2}"#, "has a key twice", 14), (#"[{"a":1,"\u0061":2}]"#, "has a key twice", 8),
    ])
  func faults(text: String, reason: String, offset: Int) {
    let fault = #expect(throws: InvalidJSON.self) { try JSONReader.value(text.utf8) }
    #expect(fault?.reason == reason && fault?.offset == offset)
  }

  @Test(
    "refuses bytes that are not UTF-8", arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xE9]])
  func invalidUTF8(bytes: [UInt8]) {
    let text = Array("[\"".utf8) + bytes + Array("\"]".utf8)
    let fault = #expect(throws: InvalidJSON.self) { try JSONReader.value(text) }
    #expect(fault?.reason == "is not UTF-8" && fault?.offset == 2)
  }

  @Test("wants an object where one is expected, and no byte order mark where none may be")
  func objects() throws {
    #expect(try JSONReader.object("\u{FEFF}{\"a\":1}".utf8) == ["a": .integer(1)])
    let array = #expect(throws: InvalidJSON.self) { try JSONReader.object(" []".utf8) }
    #expect(array?.reason == "is not a JSON object" && array?.offset == 0)
    let mark = #expect(throws: InvalidJSON.self) {
      try JSONReader.object("\u{FEFF}{}".utf8, mayHaveByteOrderMark: false)
    }
    #expect(mark?.reason == "is not JSON" && mark?.offset == 0)
  }

  @Test(
    "refuses what is nested more than 32 deep, on the smallest stack that a thread of Apple's has",
    arguments: [("[", "]"), ("{\"a\":", "}")], [(31, true), (32, true), (33, false), (500, false), (200_000, false)])
  func depth(shape: (String, String), expected: (depth: Int, isRead: Bool)) async {
    let text = [shape.0, shape.1].map { String(repeating: $0, count: expected.depth) }.joined(separator: "1")
    let result = await onSmallStack { () -> String? in
      do throws(InvalidJSON) {
        _ = try JSONReader.value(text.utf8)
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

@Suite struct JSONValueTests {
  @Test("A value describes itself as JSON on one line, with names in order and no control character")
  func description() throws {
    let value: JSONValue = [
      "b": [1, .number(2.5), .null], "a": "line\n\"quoted\" \\ \u{1B}[0m \u{9B}é", "c": true, "d": [:],
    ]
    #expect("\(value)" == #"{"a":"line\n\"quoted\" \\ \u001b[0m \u009bé","b":[1,2.5,null],"c":true,"d":{}}"#)
    #expect(try JSONReader.value("\(value)".utf8) == value)
  }

  @Test("An accessor gives only values of its own kind")
  func accessors() {
    #expect(JSONValue.string("x").string == "x" && JSONValue.integer(1).string == nil)
    #expect(JSONValue.bool(true).bool == true && JSONValue.integer(1).bool == nil)
    #expect(JSONValue.object(["a": .null]).object == ["a": .null] && JSONValue.array([.null]).object == nil)
    #expect(JSONValue.array([.null]).array == [.null] && JSONValue.null.array == nil)
  }

  // Azure AD B2C gives times both as numbers and as strings.
  @Test(
    "A number may be in a string",
    arguments: [
      (JSONValue.integer(3_600), 3_600 as Double?), (.number(0.5), 0.5), (.string("3600"), 3_600), (.string("x"), nil),
      (.string("inf"), nil), (.string("nan"), nil), (.string(""), nil), (.bool(true), nil), (.null, nil),
    ])
  func numbersInTexts(value: JSONValue, number: Double?) { #expect(value.double == number) }
}

/// Texts by the classes of the JSONTestSuite, written anew from RFC 8259.
///
/// The suite is by Nicolas Seriot (github.com/nst/JSONTestSuite, MIT license). `.ci/vectors` runs the suite's own files.
@Suite("JSON by the classes of the JSONTestSuite")
struct JSONConformanceTests {
  @Test(
    "A text that is no JSON is refused (RFC 8259 sections 2 to 7)",
    arguments: [
      // Arrays.
      "[7 false]", "[7],", "[,7]", "[7,,8]", "[7]]", "[7,", "[7:8]", "[,]", "[-]", "[*]", "[{}", "[\u{B}7]", "[\u{C}]",
      // Literals.
      "[nul]", "[tru]", "[fals]", "[True]", "[NULL]", "truth", "nulls", "undefined",
      // Numbers.
      "[++7]", "[+7]", "[-07]", "[07]", "[-7.]", "[7.]", "[.7]", "[-.7]", "[7.e2]", "[7e]", "[7e+]", "[7E-]", "[7ee2]",
      "[0.1.2]", "[0x7]", "[7_000]", "[7 000]", "[1+1]", "[- 7]", "[7a]", "[7e1.5]", "[NaN]", "[-Infinity]", "[Inf]",
      "[\u{FF17}]", "7\u{0}", "[1e400]",
      // Objects.
      "{7:8}", "{\"a\"}", "{\"a\":}", "{\"a\",7}", "{\"a\"::7}", "{a:7}", "{'a':7}", "{\"a\":7,}", "{,\"a\":7}",
      "{\"a\":7 \"b\":8}", "{\"a\":7", "{\"a\":7}}", "{]", "{\"a\":'b'}",
      // Comments and what follows a value.
      "[7]//", "{\"a\":/* */7}", "[7]x", "7 8", "\"a\"b", "<a>", "", " ", "*", "[\u{2060}]", "\u{A0}[7]",
      // Strings.
      "[\"", "[\"a", "[\"a\\", "[\"\\x41\"]", "[\"\\q\"]", "[\"\\u12\"]", "[\"\\u12G4\"]", "[\"\\U0041\"]",
      "[\"a\nb\"]", "[\"\t\"]", "[\"a\u{0}b\"]", "['a']", "[a]", "[\\n]", "[\\u0022a\"]", "\"", "[\"\\\u{9}\"]",
      "[\"\\é\"]",
      // Halves of surrogate pairs, which the suite leaves open.
      "[\"\\uD83D\"]", "[\"\\uD83Da\"]", "[\"\\uDE00\"]", "[\"\\uD83D\\u0041\"]", "[\"\\uD83D\\uD83D\"]",
      "[\"\\uDE00\\uD83D\"]", "[\"\\uD83D\\\"]", "{\"\\uDE00\":7}",
    ])
  func refused(text: String) { #expect(throws: InvalidJSON.self) { try JSONReader.value(text.utf8) } }

  @Test(
    "A text that is JSON is accepted, and means what Foundation reads in it",
    arguments: [
      "[ ]", " [[]  ] ", "[\"\"]", "[null]", "[null,7,\"7\",{}]", "[7\n]", "\t[7]\r\n", "{\"\":7}",
      "{\"a\":{\"b\":[]}}", "{\n\"a\" : \"b\"\n}", "{\"a\\u0000b\":7}", "7", "-7", "[0e1]", "[0E+1]", "[70e1]",
      "[7E22]", "[7E-2]", "[7e+2]",
      "[7.5e70]", "[-0.0000000000000000000000000000000000000000000000000007]", "[1e-400]",
      "[123456789012345678901234567890]", "\" \"", "[\"\\u0061\\u30af\"]", "[\"\\uDBFF\\uDFFF\"]", "[\"\\uFFFF\"]",
      "[\"\u{FFFF}\"]", "[\"\u{10FFFF}\"]", "[\"\\\\u0000\"]", "[\"a/*b*/\"]", "[\"\u{7F}\"]", "[\"\u{2028}\u{2029}\"]",
      "[\"\\u200B\u{2064}\"]", "[\"\u{E9}\u{1F600}\u{3C0}\"]", "[\"\\u0012\"]",
    ])
  func accepted(text: String) throws {
    let value = try JSONReader.value(text.utf8)
    #expect(try value == JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
  }
}

private let foreignFiles = ProcessInfo.processInfo.environment["B2C_VECTORS"].map {
  $0 + "/JSONTestSuite/test_parsing"
}

/// The suite's own files, where `.ci/vectors` has put them.
@Suite("The JSONTestSuite", .enabled(if: foreignFiles != nil))
struct JSONTestSuite {
  @Test("Every n_ is refused, every y_ is accepted except for repeated keys, and no i_ ends the process")
  func files() throws {
    let directory = try #require(foreignFiles)
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".json") }.sorted()
    #expect(names.count > 300)
    for name in names {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + name))
      let isAccepted = (try? JSONReader.value(bytes)) != nil
      switch name.prefix(2) {
      case "n_": #expect(!isAccepted, "\(name)")
      case "y_": #expect(isAccepted != name.hasPrefix("y_object_duplicated_key"), "\(name)")
      default: break
      }
    }
  }
}
