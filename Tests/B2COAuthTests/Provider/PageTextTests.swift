import Foundation
import Testing

@testable import B2COAuth

/// The words of an error page, for a finding of a diagnosis.
@Suite("Words of a page")
struct PageTextTests {
  @Test(
    "Tags, scripts and styles are left out, words stay",
    arguments: [
      (
        "<html><head><title>Oops</title><style>p { x }</style></head><body><p>No\n  such <b>client</b></p>",
        "Oops No such client"
      ),
      ("<SCRIPT>alert('<p>hidden</p>')</Script>shown", "shown"), ("plain text,\r\nno page", "plain text, no page"),
      ("<script>never closed", ""), ("open <tag", "open"), ("", ""), ("<>a", "a"), ("\u{FFFD}", "\u{FFFD}"),
    ])
  func words(_ page: String, _ expected: String) {
    #expect(PageText.words(of: Data(page.utf8)) == expected)
  }

  @Test(
    "A body of any bytes and any length is read to a limit", arguments: ["<", "<script", "</", "a", "\u{0}<script>"])
  func limit(_ piece: String) {
    let body = Data(String(repeating: piece, count: 1 << 20).utf8)
    #expect(PageText.words(of: body).utf8.count <= 1 << 16)
    #expect(PageText.words(of: Data([0xFF, 0xFE, 0x3C, 0x80])).utf8.count <= 16)
  }
}
