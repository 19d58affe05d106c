import B2CHTTP
import Foundation
import Testing

struct JSONLimitsTests {
  private static func nested(_ depth: Int, _ open: String = "[", _ close: String = "]") -> Data {
    Data((String(repeating: open, count: depth) + String(repeating: close, count: depth)).utf8)
  }

  @Test(arguments: [(0, false), (1, false), (64, false), (65, true), (100_000, true)])
  func refusesWhatIsDeeperThanAllowed(depth: Int, isTooDeep: Bool) {
    #expect(JSONLimits.isTooDeep(Self.nested(depth)) == isTooDeep)
    #expect(JSONLimits.isTooDeep(Self.nested(depth, "{\"a\":[", "]}"), maximum: 128) == isTooDeep)
  }

  @Test(arguments: [
    "[\"\(String(repeating: "[", count: 100))\"]", "[\"\\\"\(String(repeating: "{", count: 100))\"]",
    "[\"\\\\\", \"\(String(repeating: "[", count: 100))\"]", "[\(String(repeating: "[],", count: 100))1]",
    String(repeating: "]", count: 100), "\"\\",
  ])
  func countsNestingOnly(text: String) {
    #expect(!JSONLimits.isTooDeep(Data(text.utf8)))
  }

  @Test func countsBehindAnEscapedBackslash() {
    #expect(JSONLimits.isTooDeep(Data("[\"\\\\\"\(String(repeating: "[", count: 64))".utf8)))
  }

  @Test func theDecoderItselfAnswersDeepTextWithAnError() {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(JSONValue.self, from: Self.nested(100_000))
    }
  }
}
