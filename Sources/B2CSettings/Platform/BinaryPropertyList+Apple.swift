#if canImport(Darwin)
  import Foundation

  /// Binary property lists, which Xcode makes of the XML ones in app bundles.
  enum BinaryPropertyList {
    /// Reads a file.
    static func read(_ data: Data) throws(DocumentFault) -> Node {
      guard let value = try? PropertyListSerialization.propertyList(from: data, options: [], format: nil),
        isBounded(value)
      else {
        throw DocumentFault(
          message: "The binary property list is damaged, or has too many values.",
          recovery: "Write it again, or convert the original with `plutil -convert xml1`.")
      }
      return Node(value, at: SettingsPath(), findings: Findings())
    }

    private static let maximumValues = 10_000

    /// Whether containers and values are within the limits; a few bytes may refer to one list many times.
    private static func isBounded(_ value: Any) -> Bool {
      var containers = 0
      var level = [value]
      for _ in 0...PropertyListScan.maximumDepth {
        var next: [Any] = []
        for value in level {
          let children = (value as? [Any]) ?? (value as? [String: Any]).map { Array($0.values) }
          guard let children else { continue }
          containers += 1
          guard containers <= PropertyListScan.maximumContainers else { return false }
          next += children
          guard next.count <= maximumValues else { return false }
        }
        if next.isEmpty { return true }
        level = next
      }
      return false
    }
  }
#endif
