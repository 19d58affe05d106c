/// How long a request may take and how much it may bring.
public struct TransportLimits: Sendable, Hashable {
  /// The most bytes of body that are taken, after decompression.
  public var maximumBodyBytes: Int
  /// The time for the whole exchange, from sending to the last byte.
  public var deadline: Duration
  /// The longest silence on the wire.
  public var idleTimeout: Duration

  /// Makes limits.
  ///
  /// - Parameters:
  ///   - maximumBodyBytes: The most bytes of body that are taken; 1 MiB unless said otherwise.
  ///   - deadline: The time for the whole exchange; 30 seconds unless said otherwise.
  ///   - idleTimeout: The longest silence on the wire; 15 seconds unless said otherwise.
  public init(
    maximumBodyBytes: Int = 1 << 20, deadline: Duration = .seconds(30), idleTimeout: Duration = .seconds(15)
  ) {
    self.maximumBodyBytes = maximumBodyBytes
    self.deadline = deadline
    self.idleTimeout = idleTimeout
  }

  /// 1 MiB, 30 seconds in all, 15 seconds of silence.
  public static let standard = TransportLimits()
}
