import AsyncHTTPClient
import B2CConnector
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with async-http-client: the choice for servers on Linux.
///
/// FoundationNetworking ends the process when a server closes a connection inside the head of an answer; this library
/// reports an error. Redirects are not followed, cookies are neither kept nor sent, only https or http to this machine is
/// spoken, the body is bounded while it arrives, after decompression, and the whole exchange by the request's deadline.
///
/// Make one and keep it: its connections are reused.
public final class AsyncHTTPClientTransport: HTTPTransport {
  private let client: HTTPClient
  private let clock: any Clock<Duration>

  /// Makes a transport with its own client.
  ///
  /// - Parameters:
  ///   - maximumBodyBytes: The most that one compressed answer may grow to, whatever its request allows.
  ///   - idleTimeout: The longest silence on the wire, for all requests.
  ///   - clock: The clock that deadlines run on.
  public init(
    maximumBodyBytes: Int = 32 << 20, idleTimeout: TimeAmount = .seconds(15),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .enabled(limit: .size(maximumBodyBytes))
    configuration.timeout = HTTPClient.Configuration.Timeout(connect: idleTimeout, read: idleTimeout)
    // A connection that is refused is reported at once; the policy for retries is the package's.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    self.clock = clock
  }

  deinit {
    client.shutdown { _ in }
  }

  /// Sends a request, and returns its answer, which may be a redirect or an error status.
  public func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    try Task.checkCancellation()
    do {
      return try await withThrowingTaskGroup(of: (Data, HTTPURLResponse)?.self) { group in
        group.addTask { try await self.exchange(request, limits.maximumBodyBytes) }
        group.addTask {
          // In two parts: a process that stood still, as on a laptop that slept, wakes late from the first, and in the second
          // the answer that lies in the socket is read. A refresh token in it would be lost otherwise.
          let last = min(.seconds(1), limits.deadline)
          try await self.clock.sleep(for: limits.deadline - last)
          try await self.clock.sleep(for: last)
          return nil
        }
        defer { group.cancelAll() }
        guard case let response?? = try await group.next() else {
          throw URLError(.timedOut)
        }
        return response
      }
    } catch {
      throw Self.translate(error)
    }
  }

  private func exchange(_ request: URLRequest, _ limit: Int) async throws -> (Data, HTTPURLResponse) {
    guard let url = request.url else { throw URLError(.badURL) }
    var outgoing = HTTPClientRequest(url: url.absoluteString)
    outgoing.method = HTTPMethod(rawValue: request.httpMethod ?? "GET")
    for (name, value) in request.allHTTPHeaderFields ?? [:] { outgoing.headers.add(name: name, value: value) }
    outgoing.headers.replaceOrAdd(name: "Accept-Encoding", value: "gzip")
    if let body = request.httpBody { outgoing.body = .bytes(ByteBuffer(bytes: body)) }

    let answer = try await client.execute(outgoing, deadline: .distantFuture)
    let announced = answer.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    guard request.httpMethod == "HEAD" || announced <= limit else { throw URLError(.dataLengthExceedsMaximum) }
    var body = Data()
    for try await bytes in answer.body {
      guard body.count + bytes.readableBytes <= limit else { throw URLError(.dataLengthExceedsMaximum) }
      body.append(contentsOf: bytes.readableBytesView)
    }
    let fields = Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }) { $0 + ", " + $1 }
    guard
      let head = HTTPURLResponse(
        url: url, statusCode: Int(answer.status.code), httpVersion: "HTTP/1.1", headerFields: fields)
    else { throw URLError(.cannotParseResponse) }
    return (body, head)
  }

  /// `URLError`, whose codes tell the package what was sent and whether to try again.
  private static func translate(_ error: any Error) -> any Error {
    switch error {
    case is CancellationError, is URLError: error
    case _ where Task.isCancelled: CancellationError()
    case let error as HTTPClientError where [.readTimeout, .writeTimeout, .deadlineExceeded].contains(error):
      URLError(.timedOut)
    case let error as HTTPClientError where [.connectTimeout, .tlsHandshakeTimeout].contains(error):
      URLError(.cannotConnectToHost)
    case let error as HTTPClientError where error == .alreadyShutdown: URLError(.cancelled)
    case is NIOConnectionError: URLError(.cannotConnectToHost)
    // The request may have arrived.
    case NIOSSLError.uncleanShutdown: URLError(.networkConnectionLost)
    case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: URLError(.secureConnectionFailed)
    case is NIOHTTPDecompression.DecompressionError: URLError(.dataLengthExceedsMaximum)
    // The parser's words for a connection that ended inside an answer.
    case let error as HTTPParserError where error != .invalidEOFState: URLError(.cannotParseResponse)
    default: URLError(.networkConnectionLost)
    }
  }
}
