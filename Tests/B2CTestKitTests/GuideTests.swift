import Foundation
import Testing

@Suite("The guide to testing an app")
struct GuideTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The public initialisers of the kit, as `(label:label:)`, in the order of its files.
  private static func initialisers() throws -> [String] {
    let kit = root.appending(path: "Sources/B2CTestKit")
    let files = try FileManager.default.subpathsOfDirectory(atPath: kit.path).filter { $0.hasSuffix(".swift") }
    return try files.sorted().flatMap { file in
      try String(contentsOf: kit.appending(path: file), encoding: .utf8)
        .split(separator: "public ", omittingEmptySubsequences: false).dropFirst()
        .compactMap { signature(String($0)) }
    }
  }

  /// The labels of a declaration that is an initialiser, or `Connector.local`; `nil` for any other.
  private static func signature(_ declaration: String) -> String? {
    guard let start = declaration.prefixMatch(of: /(convenience )?init\(|static func local\(/) else { return nil }
    var depth = 1
    var parameters = [""]
    for character in declaration[start.range.upperBound...] {
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      if depth == 0 { break }
      if character == ",", depth == 1 {
        parameters.append("")
      } else {
        parameters[parameters.count - 1].append(character)
      }
    }
    let labels = parameters.compactMap { $0.split(whereSeparator: { $0.isWhitespace || $0 == ":" }).first }
    return "(" + labels.map { "\($0):" }.joined() + ")"
  }

  @Test("It has every initialiser with its parameters")
  func initialisers() throws {
    let guide = try String(contentsOf: Self.root.appending(path: "Docs/Testing.md"), encoding: .utf8)
    let signatures = try Self.initialisers()
    #expect(signatures.count > 10 && signatures.contains("(on:times:_:)"), "\(signatures)")
    for signature in Set(signatures) where signature != "()" {
      #expect(guide.contains(signature), "\(signature)")
    }
  }
}
