#if !canImport(Darwin)
  import Foundation

  /// Binary property lists are not read here: Foundation's reader ends the process for some, and no app bundle has them.
  enum BinaryPropertyList {
    /// Refuses a file.
    static func read(_ data: Data) throws(DocumentFault) -> Node {
      throw DocumentFault(
        kind: .unsupportedFormat, message: "The file is a binary property list, which is read on Apple's systems only.",
        recovery: "Convert it to XML with `plutil -convert xml1`.")
    }
  }
#endif
