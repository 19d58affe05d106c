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
    // The app's own: its user is signed out by this test.
    let cache = StoredTokenCache.keychain()
    let empty = { @Sendable in
      for key in try await cache.keys() { try await cache.removeRecord(for: key) }
    }
    let broken = try await TokenCacheConformance.brokenRules {
      try await empty()
      return cache
    }
    #expect(broken.isEmpty, "\(broken)")
    try await empty()
  }

  @Test("Files in the app's container keep every rule of a token cache")
  func files() async throws {
    let support = try FileManager.default.url(
      for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    let directory = support.appending(path: "TasksAppTests-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: directory) }
    let broken = try await TokenCacheConformance.brokenRules {
      try StoredTokenCache.files(at: directory.appending(path: UUID().uuidString))
    }
    #expect(broken.isEmpty, "\(broken)")
  }
}
