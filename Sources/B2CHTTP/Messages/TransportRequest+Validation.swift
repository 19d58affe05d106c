internal import B2CCore
internal import Foundation

extension TransportRequest {
  /// Checks what every transport has to refuse before anything is sent.
  ///
  /// The URL must be https, or http to this machine, and lead to the same place for every reader; method, header fields
  /// and body must be such that HTTP can carry them.
  ///
  /// - Throws: ``TransportError`` with ``TransportError/Code/insecureURL`` or ``TransportError/Code/invalidRequest``.
  public func validate() throws(TransportError) {
    guard Origin(url) != nil, Loopback.isAllowed(url) else {
      throw TransportError(
        .insecureURL, "The URL \(RedactedURL(url)) is neither https nor http to this machine, or has no plain host.")
    }
    guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(Self.isTokenCharacter) else {
      throw TransportError(.invalidRequest, "The request's method is not one that HTTP can carry.")
    }
    guard body == nil || ![.get, .head].contains(method) else {
      throw TransportError(.invalidRequest, "A \(method.rawValue) request cannot carry a body.")
    }
    for field in headers.fields {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isTokenCharacter),
        !field.value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
      else {
        throw TransportError(.invalidRequest, "The request has a header field with characters that HTTP forbids.")
      }
    }
  }

  /// RFC 9110 section 5.6.2.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
