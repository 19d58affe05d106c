import B2CLoopback
import Foundation

extension FuzzTarget {
  /// Requests to the loopback listener.
  ///
  /// The first byte says where the bytes are cut on their way.
  static let heads = FuzzTarget(name: "heads", parse: { _ = read([Array($0.dropFirst())]) }, check: checkHeads)

  private static let limits = LoopbackLimits(headBytes: 64 << 10, bodyBytes: 1 << 10)

  private enum Ending: Equatable {
    case incomplete
    case refused(Int)
    case request(method: String, target: String, fields: [String], body: Data)
  }

  private static func read(_ pieces: [[UInt8]]) -> Ending {
    var parser = RequestParser(limits: limits)
    do throws(RequestRefusal) {
      for piece in pieces {
        guard let request = try parser.parse(piece) else { continue }
        return .request(
          method: request.method, target: request.target,
          fields: request.headers.map { "\($0.key): \($0.value)" }.sorted(), body: request.body)
      }
      return .incomplete
    } catch {
      return .refused(error.status)
    }
  }

  @Sendable private static func checkHeads(_ input: [UInt8]) throws {
    let bytes = Array(input.dropFirst())
    let whole = read([bytes])
    let size = 1 + Int(input.first ?? 0) % 40
    let pieces = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    let cut = read(pieces)
    try expect(cut == whole, "in pieces of \(size): \(cut); whole: \(whole)")
    guard case .request(let method, let target, let fields, let body) = whole else { return }
    try expect(fields.count { $0.lowercased().hasPrefix("host:") } == 1, "not one Host field")
    try expect(fields.count { $0.lowercased().hasPrefix("content-length:") } <= 1, "two lengths")
    try expect(!fields.contains { $0.lowercased().hasPrefix("transfer-encoding:") }, "a transfer coding")
    let head = ["\(method) \(target) HTTP/1.1"] + fields
    try expect(
      head.allSatisfy { !$0.utf8.contains(0x0D) && !$0.utf8.contains(0x0A) && !$0.utf8.contains(0) },
      "a line break within a line")
    let again = read([Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + Array(body)])
    try expect(again == whole, "written and read again: \(again), not \(whole)")
  }
}
