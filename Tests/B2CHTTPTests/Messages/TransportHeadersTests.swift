import B2CHTTP
import Foundation
import Testing

struct TransportHeadersTests {
  @Test func looksUpWithoutRegardToCase() {
    var headers: TransportRequest.Headers = ["Content-Type": "text/plain", "X-A": "1"]
    headers.append(name: "x-a", value: "2")
    #expect(headers["content-TYPE"] == "text/plain")
    #expect(headers["X-a"] == "1, 2")
    #expect(headers.values(of: "x-A") == ["1", "2"])
    headers["x-a"] = "3"
    #expect(headers.values(of: "X-A") == ["3"])
    headers["X-A"] = nil
    #expect(headers["X-A"] == nil)
  }

  @Test(arguments: ["Authorization", "Cookie", "Set-Cookie", "Location", "Proxy-Authorization", "X-Anything"])
  func showsNoValueThatMayBeSecret(name: String) {
    let headers = TransportRequest.Headers([
      (name: name, value: "canary"), (name: "Content-Type", value: "text/plain"),
    ])
    let request = TransportRequest(
      url: URL(filePath: "/"), headers: headers, body: Data("canary".utf8))
    let response = TransportResponse(status: 200, headers: headers, body: Data("canary".utf8))
    var shown = "\(headers) \(String(reflecting: headers)) \(request) \(String(reflecting: request)) \(response)"
    dump(headers, to: &shown)
    dump(request, to: &shown)
    dump(response, to: &shown)
    #expect(!shown.contains("canary"))
    #expect("\(headers)".contains("text/plain"))
    #expect("\(headers)".contains(name))
  }
}
