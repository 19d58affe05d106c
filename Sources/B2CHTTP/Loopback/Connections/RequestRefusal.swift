/// Why a request is not served, with the status that says so.
struct RequestRefusal: Error {
  let status: Int
  let reason: String

  static func malformed(_ reason: String) -> RequestRefusal { RequestRefusal(status: 400, reason: reason) }
  static let timedOut = RequestRefusal(status: 408, reason: "The request took too long.")
  static let tooLarge = RequestRefusal(status: 413, reason: "The body is too large.")
  static let headTooLarge = RequestRefusal(status: 431, reason: "The header fields are too large.")
  static let coding = RequestRefusal(status: 501, reason: "The transfer coding is not known.")
  static let version = RequestRefusal(status: 505, reason: "The version is not HTTP/1.1.")
}
