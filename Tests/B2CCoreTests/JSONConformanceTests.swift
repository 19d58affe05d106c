import B2CCore
import Foundation
import Testing

/// Texts by the classes of the JSONTestSuite, written anew from RFC 8259.
///
/// The suite is by Nicolas Seriot (github.com/nst/JSONTestSuite, MIT license). `.ci/vectors` runs the suite's own files.
@Suite("JSON by the classes of the JSONTestSuite")
struct JSONConformanceTests {
  @Test(
    "A text that is no JSON is refused (RFC 8259 sections 2 to 7)",
    arguments: [
      // Arrays.
      "[7 false]", "[\"k\": 7]", "[7],", "[,7]", "[7,,8]", "[7,8,,]", "[7]]", "[7,", "[q", "[7[8]]", "[7:8]", "[,]",
      "[-]", "[ ,7]", "[7\n,8\n,", "[7;8]", "[*]", "[{}", "[\u{B}7]", "[\u{C}]",
      // Literals.
      "[nul]", "[tru]", "[fals]", "[True]", "[NULL]", "truth", "nulls", "undefined",
      // Numbers.
      "[++7]", "[+7]", "[-07]", "[07]", "[-7.]", "[7.]", "[.7]", "[-.7]", "[7.e2]", "[7e]", "[7e+]", "[7E-]", "[7ee2]",
      "[0.1.2]", "[0x7]", "[7_000]", "[7 000]", "[1+1]", "[- 7]", "[7a]", "[7e1.5]", "[NaN]", "[-Infinity]", "[Inf]",
      "[\u{FF17}]", "7\u{0}", "[1e400]",
      // Objects.
      "{7:8}", "{\"a\"}", "{\"a\":}", "{\"a\",7}", "{\"a\"::7}", "{\"a\" 7}", "{:7}", "{a:7}", "{'a':7}", "{\"a\":7,}",
      "{\"a\":7,,\"b\":8}", "{,\"a\":7}", "{\"a\":7 \"b\":8}", "{\"a\":7", "{[7]:8}", "{null:7}", "{\"a\":7}}", "{]",
      "{\"a\":'b'}",
      // Comments and what follows a value.
      "{\"a\":7}/**/", "[7]//", "{\"a\":/* */7}", "[7]x", "[7][8]", "{}{}", "7 8", "\"a\"b", "[7]#", "<a>", "",
      " ", "*", "[\u{2060}]", "\u{A0}[7]",
      // Strings.
      "[\"", "[\"a", "[\"a\\", "[\"\\x41\"]", "[\"\\q\"]", "[\"\\u12\"]", "[\"\\u12G4\"]", "[\"\\U0041\"]",
      "[\"a\nb\"]",
      "[\"\t\"]", "[\"a\u{0}b\"]", "['a']", "[a]", "[\\n]", "[\\u0022a\"]", "\"", "[\"\\\u{9}\"]", "[\"\\é\"]",
      // Halves of surrogate pairs, which the suite leaves open.
      "[\"\\uD83D\"]", "[\"\\uD83Da\"]", "[\"\\uDE00\"]", "[\"\\uD83D\\u0041\"]", "[\"\\uD83D\\uD83D\"]",
      "[\"\\uDE00\\uD83D\"]",
      "[\"\\uD83D\\\"]", "{\"\\uDE00\":7}",
    ])
  func refused(text: String) {
    #expect(throws: InvalidJSON.self) { try JSONReader.value(text.utf8) }
  }

  @Test(
    "Bytes that are not UTF-8 are refused (RFC 8259 section 8.1)",
    arguments: [
      [0x5B, 0xFF, 0x5D], [0x5B, 0x37, 0xE5, 0x5D], [0x22, 0xE9, 0x22], [0x22, 0x81, 0x22], [0x22, 0xC0, 0xAF, 0x22],
      [0x22, 0xE0, 0xFF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
      [0x22, 0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF, 0x22], [0x22, 0x5C, 0xE5, 0x22], [0xEF, 0xBB, 0x7B, 0x7D],
      [0xEF, 0xBB, 0xBF], [0xFF, 0xFE, 0x5B, 0, 0x5D, 0], [0, 0x5B, 0, 0x5D], [0x5B, 0, 0x5D, 0],
    ] as [[UInt8]])
  func encodings(bytes: [UInt8]) {
    #expect(throws: InvalidJSON.self) { try JSONReader.value(bytes) }
  }

  @Test(
    "A text that is JSON is accepted, and means what Foundation reads in it",
    arguments: [
      "[]", "[ ]", " [[]  ] ", "[\"\"]", "[null]", "[null,7,\"7\",{}]", "[7\n]", "\t[7]\r\n", "{}", "{\"\":7}",
      "{\"a\":{\"b\":[]}}",
      "{\n\"a\" : \"b\"\n}", "{\"a\\u0000b\":7}", "0", "-0", "7", "-7", "[0e1]", "[0E+1]", "[70e1]", "[7E22]", "[7E-2]",
      "[7e+2]",
      "[7.5e70]", "[-0.0000000000000000000000000000000000000000000000000007]", "[1e-400]",
      "[123456789012345678901234567890]",
      "true", "false", "null", "\"\"", "\" \"", "\"a\"", "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[\"\\u0061\\u30af\"]",
      "[\"\\uD83D\\uDE00\"]",
      "[\"\\uDBFF\\uDFFF\"]", "[\"\\uFFFF\"]", "[\"\u{FFFF}\"]", "[\"\u{10FFFF}\"]", "[\"\\\\u0000\"]", "[\"a/*b*/\"]",
      "[\"\u{7F}\"]",
      "[\"\u{2028}\u{2029}\"]", "[\"\\u200B\u{2064}\"]", "[\"\u{E9}\u{1F600}\u{3C0}\"]", "[\"\\u0012\"]",
    ])
  func accepted(text: String) throws {
    let value = try JSONReader.value(text.utf8)
    #expect(value == (try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))))
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
