package import B2CCore

extension TransportRequest {
  /// Header fields in order, looked up without regard to case (RFC 9110 section 5).
  ///
  /// The description hides the values of fields that carry credentials.
  public struct Headers: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    private struct Field: Sendable, Hashable {
      let name: String
      let value: String
    }

    private var list: [Field]

    /// The fields, in the order they were added or received.
    public var fields: [(name: String, value: String)] { list.map { ($0.name, $0.value) } }

    /// Makes headers from fields.
    ///
    /// - Parameter fields: Names as written and values, in order.
    public init(_ fields: [(name: String, value: String)]) {
      list = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// Makes headers from a literal of names and values.
    ///
    /// - Parameter elements: Names and values, in order.
    public init(dictionaryLiteral elements: (String, String)...) {
      self.init(elements.map { (name: $0.0, value: $0.1) })
    }

    /// The values of all fields of a name joined with `, `; setting replaces them by one field, or by none for `nil`.
    ///
    /// - Parameter name: The field's name, in any case.
    public subscript(name: String) -> String? {
      get {
        let values = self.values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
      }
      set {
        list.removeAll { Self.isSame($0.name, name) }
        if let newValue {
          list.append(Field(name: name, value: newValue))
        }
      }
    }

    /// The values of all fields of a name, in order.
    ///
    /// - Parameter name: The field's name, in any case.
    /// - Returns: One value for each field; empty when there is none.
    package func values(of name: String) -> [String] {
      list.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Appends a field, whether or not one of that name exists.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The field's value.
    package mutating func append(name: String, value: String) {
      list.append(Field(name: name, value: value))
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
      left.utf8.count == right.utf8.count && left.lowercased() == right.lowercased()
    }
  }
}

extension TransportRequest.Headers: Redacted {
  private static let revealing: Set<String> = [
    "accept", "cache-control", "client-request-id", "content-length", "content-type", "date", "retry-after",
    "user-agent", "x-ms-request-id",
  ]

  /// The fields, a line each; only values of fields known to be harmless are shown.
  public var description: String {
    fields.map { field in
      let isHarmless = Self.revealing.contains(field.name.lowercased())
      return "\(field.name): \(isHarmless ? PrintableText().show(field.value) ?? "" : PrintableText.replacement)"
    }.joined(separator: "\n")
  }
}
