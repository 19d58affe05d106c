import B2CConnector
import B2CTestKit
import Foundation
import Testing

@testable import TasksApp

/// What only a signed app in a simulator or on a device can show.
///
/// The rest of the model is tested in the package.
@Suite("Inside the app", .serialized)
struct HostedTests {
  @Test("The settings are in the app's bundle")
  func settings() throws {
    #expect(try ConnectorSettings.main.redirectURI.scheme == "msauth.\(Bundle.main.bundleIdentifier ?? "")")
  }

  @Test("The model signs in at a local tenant and adds a task")
  @MainActor
  func signIn() async throws {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    let model = TasksModel(signInMethod: .page) { try Connector.local(tenant, server) }
    await model.signIn()
    await model.restore()
    #expect(await model.add("Buy milk"))
    #expect(model.message == nil)
  }

  @Test("The keychain keeps every rule of a token cache")
  func keychain() async throws {
    let made = MadeCaches()
    let suite = TokenCacheConformance {
      await made.keep(KeychainTokenCache(service: "TasksAppTests.\(UUID().uuidString)"))
    }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
    try await made.empty()
  }

  @Test("Files in the app's container keep every rule of a token cache")
  func files() async throws {
    let support = try FileManager.default.url(
      for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    let directory = support.appending(path: "TasksAppTests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let suite = TokenCacheConformance {
      try FileTokenCache(directory: directory.appending(path: UUID().uuidString))
    }
    let broken = try await suite.brokenRules()
    #expect(broken.isEmpty, "\(broken)")
  }
}

/// The caches of a test; their items would outlive it.
private actor MadeCaches {
  private var caches: [any TokenCache] = []

  func keep(_ cache: any TokenCache) -> any TokenCache {
    caches.append(cache)
    return cache
  }

  func empty() async throws {
    for cache in caches {
      for key in try await cache.keys() { try await cache.removeRecord(for: key) }
    }
  }
}
