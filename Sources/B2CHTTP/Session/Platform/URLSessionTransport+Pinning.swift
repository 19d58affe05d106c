#if canImport(Security) && !canImport(FoundationNetworking)
  internal import Foundation
  public import Security

  extension URLSessionTransport {
    /// Makes a transport that also asks the app about each server's certificate: certificate pinning.
    ///
    /// The system's own check comes first and cannot be switched off; a server that it refuses never gets here.
    ///
    /// - Parameters:
    ///   - maximumConnectionsPerHost: The most connections to one host at a time.
    ///   - clock: The clock that deadlines run on.
    ///   - acceptsTrust: Says whether the server's certificate chain, already found valid, is one that the app expects
    ///     of the host. It runs on a queue of the session, once for each new connection.
    public convenience init(
      maximumConnectionsPerHost: Int = 6, clock: any Clock<Duration> = ContinuousClock(),
      acceptsTrust: @escaping @Sendable (_ trust: SecTrust, _ host: String) -> Bool
    ) {
      self.init(
        maximumConnectionsPerHost: maximumConnectionsPerHost, clock: clock,
        delegate: SessionDelegate(trust: acceptsTrust))
    }
  }
#endif
