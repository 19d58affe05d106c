import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let launch = Row(
    number: "7", title: "process start to first token, file cache",
    meaning: """
      An app starts whose user is signed in, reads its settings, opens its file cache and asks for a token. The \
      baseline is a program that only makes a URLSession. If the app names no user, the SDK reads every record once to \
      find the latest sign-in.
      """
  ) { context in
    let pairs = context.pairs(41)
    let one = try await directory(users: 1, context)
    let many = try await directory(users: context.manyUsers, context)
    let bare = try await Pairs.compare(pairs: pairs) {
      try ChildProcess.time("launch-bare")
    } subject: {
      try ChildProcess.time("launch", [one.path])
    }
    let named = try await Pairs.compare(pairs: pairs) {
      try ChildProcess.time("launch", [one.path, "0"])
    } subject: {
      try ChildProcess.time("launch", [many.path, "0"])
    }
    let unnamed = Pairs.Quartiles(try (0..<3).map { _ in try ChildProcess.time("launch", [many.path]) })
    return [
      Measurement("one user against a bare session", bare, goal: 1.25),
      Measurement("one user, time", bare.subject.median * 1e3, "ms"),
      Measurement("bare session, time", bare.baseline.median * 1e3, "ms"),
      Measurement("10,000 users against one, user named", named, goal: 1.2),
      Measurement("10,000 users, none named, time", unnamed.median * 1e3, "ms"),
    ]
  }

  private static func directory(users: Int, _ context: Context) async throws -> URL {
    let directory = try await context.fileCache(users: users)
    let settings = try Scene.settings()
    let values: [String: Any] = [
      "authority": settings.authority.description, "clientId": settings.clientID, "scopes": settings.scopes,
      "redirectUri": settings.redirectURI.absoluteString, "policies": settings.policies.all.map(\.id),
    ]
    try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
      .write(to: LaunchedProgram.settings(beside: directory))
    return directory
  }
}

/// A program that starts, reads its settings, and wants one token.
enum LaunchedProgram {
  static func settings(beside directory: URL) -> URL { directory.appendingPathExtension("plist") }

  static func run(_ arguments: [String]) async throws {
    let directory = URL(fileURLWithPath: try require(arguments.first, "the directory"), isDirectory: true)
    let connector = try Connector(
      settings: ConnectorSettings(contentsOf: settings(beside: directory)), presenter: NoPage(),
      cache: try Scene.fileCache(directory))
    if let number = arguments.dropFirst().first.flatMap({ Int($0) }) {
      _ = try await connector.accessToken(user: Scene.user(number))
    } else {
      _ = try await connector.accessToken()
    }
  }

  /// The floor: a program that makes a session and ends.
  static func runBare() {
    let session = URLSession(configuration: .ephemeral)
    withExtendedLifetime(session) {}
  }
}
