/// A request method (RFC 9110 section 9).
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
  /// The method's name as it stands on the wire, in upper case.
  public var rawValue: String

  /// Makes a method from its name on the wire.
  ///
  /// - Parameter rawValue: The name, such as `PATCH`.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// `GET`.
  public static let get = HTTPMethod(rawValue: "GET")
  /// `HEAD`.
  public static let head = HTTPMethod(rawValue: "HEAD")
  /// `POST`.
  public static let post = HTTPMethod(rawValue: "POST")
  /// `PUT`.
  public static let put = HTTPMethod(rawValue: "PUT")
  /// `PATCH`.
  public static let patch = HTTPMethod(rawValue: "PATCH")
  /// `DELETE`.
  public static let delete = HTTPMethod(rawValue: "DELETE")
}
