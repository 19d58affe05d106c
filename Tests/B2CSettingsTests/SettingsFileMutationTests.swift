import B2CSettings
import Foundation
import TestSupport
import Testing

@Suite struct SettingsFileMutationTests {
  private static let tokens = [
    "<", ">", "&", "\"", "<string>", "</string>", "<array>", "<dict>", "<key>", "</key>", "<![CDATA[", "<!--", "]]>",
    "-->", "<!DOCTYPE x [", "\u{0}", "\r", "%", "@", "#", ":", "//", "&#x41;", "<true/>",
  ]

  private static func corpus() throws -> [[UInt8]] {
    let tree = try PropertyListSerialization.propertyList(from: Data(Samples.finished.utf8), format: nil)
    let binary = try PropertyListSerialization.data(fromPropertyList: tree, format: .binary, options: 0)
    return [
      Array(Samples.finished.utf8), Array(Samples.template.utf8), Array(Samples.plist().utf8),
      Array(try Samples.file()), Array(binary),
    ]
  }

  private static func mutate(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let index = Int.random(in: bytes.indices, using: &random)
      let end = min(bytes.count, index + Int.random(in: 1...40, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[index] = .random(in: 0...255, using: &random)
      case 2: bytes.removeSubrange(index..<end)
      case 3: bytes.insert(contentsOf: bytes[index..<end], at: index)
      case 4: bytes.insert(contentsOf: tokens.randomElement(using: &random)?.utf8 ?? "".utf8, at: index)
      default: bytes.removeSubrange(index...)
      }
    }
    return bytes
  }

  @Test("Mutated files end in settings or in a typed error", arguments: 0..<5)
  func mutations(_ seed: Int) throws {
    let corpus = try Self.corpus()
    var random = SplitMix64(seed: UInt64(seed))
    var accepted = 0
    var refused = 0
    for _ in 0..<300 {
      let input = Data(Self.mutate(corpus[seed], &random))
      guard let error = failure(of: input) else {
        accepted += 1
        continue
      }
      refused += 1
      #expect(!error.problems.isEmpty)
      #expect(error.problems.allSatisfy { !$0.message.isEmpty })
    }
    #expect(accepted + refused == 300)
    #expect(refused > 0)
  }

  @Test("Foundation reads what is accepted, and finds the same client ID", arguments: [0, 2, 3])
  func agreement(_ index: Int) throws {
    let corpus = try Self.corpus()
    var random = SplitMix64(seed: 99)
    var compared = 0
    for _ in 0..<300 {
      let input = Data(Self.mutate(corpus[index], &random))
      guard let settings = try? ConnectorSettings(data: input),
        let tree = try? PropertyListSerialization.propertyList(from: input, format: nil) as? [String: Any]
      else { continue }
      compared += 1
      let clientID = (tree["clientId"] as? String)?.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(clientID == settings.clientID)
    }
    #expect(compared > 10)
  }
}
