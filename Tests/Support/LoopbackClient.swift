internal import B2CCore
package import B2CHTTP
package import B2CLoopback
package import Foundation

/// A raw connection to a port of this machine, for sending malformed HTTP.
package final class LoopbackClient: Sendable {
  /// The error thrown when the port refuses the connection.
  package struct Refused: Error {
    package let port: UInt16
  }

  private let descriptor: CInt

  /// Connects, and sends text immediately, because on a busy machine a listener may close a connection that is idle.
  package init(port: UInt16, host: String = "127.0.0.1", sending text: String = "") async throws {
    let connection = await onThread {
      let descriptor = connected(host: host, port: port)
      if let descriptor { _ = sendAll(Array(text.utf8), to: descriptor) }
      return descriptor
    }
    guard let descriptor = connection else { throw Refused(port: port) }
    self.descriptor = descriptor
  }

  deinit { closeDescriptor(descriptor) }

  /// Sends bytes; `false` when the other side does not take them.
  @discardableResult
  package func send(_ bytes: some Collection<UInt8>) async -> Bool {
    let bytes = Array(bytes)
    return await onThread { [self] in sendAll(bytes, to: descriptor) }
  }

  /// Sends text; `false` when the other side does not take it.
  @discardableResult
  package func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

  /// Returns the next bytes; `nil` when the other side has ended or broken the connection, or says nothing for ten minutes.
  package func receive() async -> Data? {
    await onThread { [self] in
      var bytes = [UInt8](repeating: 0, count: 64 * 1024)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return count > 0 ? Data(bytes[..<count]) : nil
    }
  }

  package func receiveAll() async -> String { await receive { _ in false } }

  /// Returns what comes up to and with a text, or up to the end of the connection.
  package func receive(through text: String) async -> String {
    await receive { $0.range(of: Data(text.utf8)) != nil }
  }

  private func receive(until isWhole: (Data) -> Bool) async -> String {
    var all = Data()
    while !isWhole(all), let bytes = await receive() { all += bytes }
    return String(decoding: all, as: UTF8.self)
  }

  package func finishSending() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  package func close() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }
}

private func sendAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { sendBytes(descriptor, $0.baseAddress, $0.count, sendFlags) }
    guard count > 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}

/// Runs a blocking call on its own thread.
private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}

private func connected(host: String, port: UInt16) -> CInt? {
  var hints = addrinfo()
  hints.ai_flags = AI_NUMERICHOST
  hints.ai_socktype = streamType
  var list: UnsafeMutablePointer<addrinfo>?
  guard getaddrinfo(host, String(port), &hints, &list) == 0, let address = list?.pointee else { return nil }
  defer { freeaddrinfo(list) }
  let descriptor = socket(address.ai_family, streamType | closeOnExec, 0)
  guard descriptor >= 0 else { return nil }
  prepare(descriptor)
  // No test hangs on a server that says nothing.
  var limit = timeval(tv_sec: 600, tv_usec: 0)
  _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  guard connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 else {
    closeDescriptor(descriptor)
    return nil
  }
  return descriptor
}

#if canImport(Darwin)
  private let (streamType, closeOnExec, sendFlags): (CInt, CInt, CInt) = (SOCK_STREAM, 0, 0)

  private func prepare(_ descriptor: CInt) {
    var value: CInt = 1
    _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &value, socklen_t(MemoryLayout<CInt>.size))
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
#else
  // The constants are an enumeration in Glibc and numbers in Musl.
  #if canImport(Musl)
    private let (streamType, closeOnExec) = (CInt(SOCK_STREAM), CInt(SOCK_CLOEXEC))
  #else
    private let (streamType, closeOnExec) = (CInt(SOCK_STREAM.rawValue), CInt(SOCK_CLOEXEC.rawValue))
  #endif
  private let sendFlags = CInt(MSG_NOSIGNAL)

  private func prepare(_ descriptor: CInt) {}
#endif

private func closeDescriptor(_ descriptor: CInt) { _ = close(descriptor) }
private func sendBytes(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: CInt) -> Int {
  send(descriptor, bytes, count, flags)
}

extension LoopbackListener {
  /// Starts to listen with a handler that answers every request.
  package convenience init(
    port: UInt16 = 0, addresses: [LoopbackAddress] = [.ipv4], limits: LoopbackLimits = .server,
    answer: @escaping @Sendable (LoopbackRequest) async -> LoopbackResponse
  ) async throws {
    try await self.init(port: port, addresses: addresses, limits: limits) { exchange in
      await exchange.respond(await answer(exchange.request))
    }
  }
}

extension LoopbackExchange {
  /// The request as a local server takes it, or `nil` if its target is no URL.
  package var message: URLRequest? {
    URL(string: "http://127.0.0.1:\(port)" + request.target).map {
      URLRequest(
        method: request.method, url: $0, headers: request.headers, body: request.body.isEmpty ? nil : request.body)
    }
  }
}

/// A page that is shown, as a test sees it.
package struct ShownPage: Sendable {
  /// The URL that the browser was opened with.
  package let opened: URL
  /// The page's URL, after the one-time local page where there is one.
  package let url: URL

  package init(opened: URL) async {
    self.opened = opened
    url = await Self.location(of: opened) ?? opened
  }

  /// Fetches a local page as a browser does, and returns where it redirects to.
  private static func location(of url: URL) async -> URL? {
    guard url.scheme == "http", let port = url.port.flatMap(UInt16.init(exactly:)), let host = url.host,
      let answer = try? await get(url.path, port: port, host: host)
    else { return nil }
    return answer.field("Location").flatMap { URL(string: $0) }
  }

  /// The redirect URI that the page was given.
  package var redirectURI: URL? { query(of: url)["redirect_uri"].flatMap { URL(string: $0) } }

  package var port: UInt16 { UInt16(redirectURI?.port ?? 0) }
}

package func get(_ target: String, port: UInt16, host: String = "127.0.0.1", headers: String = "") async throws
  -> String
{
  let client = try await LoopbackClient(
    port: port, host: host, sending: "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(headers)\r\n")
  return await client.receiveAll()
}

extension String {
  package func field(_ name: String) -> String? {
    components(separatedBy: "\r\n").first { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
  }
}
