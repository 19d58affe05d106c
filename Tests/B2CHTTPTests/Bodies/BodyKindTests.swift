import B2CHTTP
import Foundation
import Testing

struct BodyKindTests {
  static let table: [(String, String?, BodyKind)] = [
    ("{}", "application/json", BodyKind.json), ("\u{FEFF} \r\n\t[1]", nil, .json), ("{}", "text/html", .json),
    ("null", "application/json; charset=utf-8", .json), ("12", "application/problem+json", .json), ("-1", nil, .json),
    ("", "application/json", .empty), (" \n", nil, .empty), ("\u{FEFF}", nil, .empty),
    ("<!DOCTYPE html>", "text/html", .markup), ("  <html>", "application/json", .markup),
    ("not found", "Text/Plain; charset=utf-8", .other(mediaType: "text/plain")), ("OK", nil, .other(mediaType: nil)),
    ("true", "text/plain", .other(mediaType: "text/plain")),
    ("oops", "application/json", .other(mediaType: "application/json")),
  ]

  @Test(arguments: table)
  func isSeenAtFirstSight(body: String, contentType: String?, kind: BodyKind) {
    let headers: HTTPHeaders = contentType.map { ["content-type": $0] } ?? [:]
    #expect(TransportResponse(status: 200, headers: headers, body: Data(body.utf8)).bodyKind == kind)
  }

  @Test func isNamedInWords() {
    #expect(BodyKind.markup.words.contains("HTML"))
    #expect(BodyKind.other(mediaType: "text/plain").words.contains("text/plain"))
    #expect(BodyKind.other(mediaType: String(repeating: "x", count: 5000)).words.count < 120)
  }
}
