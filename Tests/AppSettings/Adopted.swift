import B2CConnector
import B2CTestKit
import Foundation

// Each public protocol, adopted as an app would; `.ci/app-settings` compiles it with the settings of apps.

actor CountingTransport: HTTPTransport {
  let next: any HTTPTransport
  private(set) var count = 0

  init(_ next: any HTTPTransport) { self.next = next }

  func send(_ request: URLRequest, limits: TransportLimits) async throws -> (Data, HTTPURLResponse) {
    count += 1
    return try await next.send(request, limits: limits)
  }
}

@MainActor final class PagePresenter: SignInPresenter {
  private(set) var pages: [URL] = []

  nonisolated init() {}

  nonisolated func validate(redirectURI: URL) throws {}

  func present(_ request: PresentationRequest) async throws -> URL {
    pages.append(request.url)
    return request.redirectURI
  }
}

nonisolated struct StatusPage: LocalService {
  func answer(_ request: URLRequest) async throws -> LocalResponse { LocalResponse(status: 200) }
  func serves(_ url: URL) -> Bool { url.path == "/status" }
}

actor OneProcessCache: TokenCache {
  private var records: [TokenCacheKey: TokenRecord] = [:]

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { records[key] }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { records[key] = record }
  func removeRecord(for key: TokenCacheKey) async throws { records[key] = nil }
  func keys() async throws -> [TokenCacheKey] { Array(records.keys) }
}

nonisolated final class WrappingCache: SharedTokenCache {
  let wrapped: StoredTokenCache

  init(_ wrapped: StoredTokenCache) { self.wrapped = wrapped }

  func record(for key: TokenCacheKey) async throws -> TokenRecord? { try await wrapped.record(for: key) }
  func store(_ record: TokenRecord, for key: TokenCacheKey) async throws { try await wrapped.store(record, for: key) }
  func removeRecord(for key: TokenCacheKey) async throws { try await wrapped.removeRecord(for: key) }
  func keys() async throws -> [TokenCacheKey] { try await wrapped.keys() }

  func replace(_ key: TokenCacheKey, expecting stamp: UUID, with record: TokenRecord) async throws -> Bool {
    try await wrapped.replace(key, expecting: stamp, with: record)
  }

  func withRefreshLock(for key: TokenCacheKey, _ work: RefreshWork) async throws {
    try await wrapped.withRefreshLock(for: key, work)
  }
}

#if REFUSED
  /// A user who may be `nil` signs nobody out, where all would be meant by leaving it out.
  func signOut(_ user: UserInfo?, of connector: Connector) async throws {
    try await connector.signOut(user)  // refused
  }
#endif

/// A model, as an app has one.
@MainActor final class Model {
  var file = URL(fileURLWithPath: "settings.plist")
  var log: [String] = []
  let connector: Connector

  init(file: URL) throws {
    self.file = file
    connector = try Connector(settings: ConnectorSettings(contentsOf: file), presenter: PagePresenter())
  }

  func check() async throws -> String {
    let main = try await Connector.diagnose(settings: .main)
    let read = try await Connector.diagnose(settings: ConnectorSettings(contentsOf: file))
    return main.description + read.description
  }

  func watched() -> Connector.Environment {
    var environment = Connector.Environment()
    environment.onEvent = { event in Task { @MainActor [weak self] in self?.log.append(event.description) } }
    return environment
  }
}
