internal import Foundation

/// Keeps a streamed transfer alive as long as somebody can still read from it, and ends it then.
final class StreamedBody: Sendable {
  private let exchange: StreamedExchange

  init(_ exchange: StreamedExchange) {
    self.exchange = exchange
  }

  deinit {
    exchange.fail(CancellationError())
  }

  /// The body, pulled by its reader.
  ///
  /// A reader that is cancelled gets `CancellationError`, not a short body.
  var chunks: AsyncThrowingStream<Data, any Error> {
    AsyncThrowingStream { try await self.exchange.next() }
  }
}
