import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

/// Returns everything that a value can be made to print, and for an error also what is under it.
func shown(_ value: Any) -> String {
  var text = "\(value) \(String(reflecting: value)) "
  dump(value, to: &text)
  for child in Mirror(reflecting: value).children { dump(child.value, to: &text) }
  guard let error = value as? any Error else { return text }
  text += error.localizedDescription
  guard let error = error as? ConnectorError else { return text }
  text += " \(error as NSError) \((error as NSError).userInfo) "
  text += [
    error.message, error.recoverySuggestion, error.serverDescription, error.serverCode, error.oauthError, error.claims,
    error.method, error.url, error.correlationID?.uuidString,
  ].compactMap(\.self).joined(separator: " ")
  return text + ((error.underlying as? ConnectorError).map { shown($0) } ?? "")
}

/// What the calls of a connector give or throw, printed in every way.
final class Told {
  private(set) var texts: [String] = []
  /// The texts that an app logs, which are errors, findings, users and events.
  private(set) var logged: [String] = []

  var all: String { texts.joined(separator: "\n") }

  func add(_ values: Any...) { texts += values.map(shown) }

  func log(_ value: Any) {
    add(value)
    logged.append("\(value)")
  }

  func call(_ body: () async throws -> Any) async {
    do { add(try await body()) } catch { log(error) }
  }

  /// Makes every call, with a connector that may not be made.
  func callEverything(_ scene: Scene, _ environment: Connector.Environment) async {
    let connector: Connector
    do {
      connector = try Connector(settings: scene.settings(), environment: environment) { $0.retry = .none }
    } catch {
      return log(error)
    }
    let (task, request) = (TaskItem(itemName: "Buy milk", serverID: "1"), URLRequest(url: scene.tasks.url))
    await call { try await connector.signIn(options: SignInOptions(prompt: .login)) }
    await call { try await connector.accessToken() }
    await call { try await connector.accessToken(forceRefresh: true) }
    await call { try await connector.fetchUserInfo() }
    await call {
      let users = try await connector.users()
      for user in users { log(user) }
      return users
    }
    await call { try await connector.session }
    await call { try await connector.getTaskList() }
    await call { try await connector.addTask(task) }
    await call { try await connector.updateTask(task) }
    await call { try await connector.deleteTask(task) }
    await call { try await connector.data(for: request).0.count }
    await call { try await connector.beginSignIn() }
    await call { try await connector.finishSignIn(connector.beginSignIn(), callback: url(Scene.redirect + "?code=x")) }
    await call { try await connector.signInWithDeviceCode { _ in throw CancellationError() } }
    await call {
      let diagnosis = try await connector.diagnose()
      for finding in diagnosis.findings { log(finding.detail + (finding.recoverySuggestion ?? "")) }
      return diagnosis
    }
    for key in (try? await scene.cache.keys()) ?? [] {
      add(key)
      if let record = try? await scene.cache.record(for: key) { add(record) }
    }
    await call { try await connector.signOut(endsBrowserSession: true, sendsIDTokenHint: true) }
    add(connector, environment, scene.cache)
    for event in scene.events.values { log(event) }
  }
}
