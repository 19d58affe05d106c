import NIOConcurrencyHelpers
import NIOCore

/// Closes the connections of an address beyond its share: no one takes those of all.
final class AddressLimit: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Never
  /// The open connections of each address.
  typealias Counts = NIOLockedValueBox<[String: Int]>

  private let counts: Counts
  private let most: Int
  private var address: String?

  init(_ counts: Counts, most: Int) {
    self.counts = counts
    self.most = most
  }

  func channelActive(context: ChannelHandlerContext) {
    let address = context.remoteAddress?.ipAddress ?? ""
    self.address = address
    if counts.withLockedValue({ Self.add(1, to: &$0[address]) }) > most {
      context.close(promise: nil)
    } else {
      context.fireChannelActive()
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    if let address { _ = counts.withLockedValue { Self.add(-1, to: &$0[address]) } }
    context.fireChannelInactive()
  }

  private static func add(_ change: Int, to count: inout Int?) -> Int {
    let sum = (count ?? 0) + change
    count = sum > 0 ? sum : nil
    return sum
  }
}
