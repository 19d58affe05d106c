import B2CConnector
import B2CCore
import B2COAuth
import Foundation
import TaskAPI

/// The simple version beside each piece of code that exists for speed: how much slower a user would be without it.
enum SimpleVersion {
  static let subject = "simple version"

  static func all(_ context: Context) async throws -> [Measurement] {
    var measurements = [try await scopes(context), try await memoryCopy(context), try await date(context)]
    measurements += [try await randomBytes(context), try await namedAccount(context)]
    measurements += try await currentKey(context)
    return measurements
  }

  /// Row 1: the exact match of scopes comes before sets without regard to case.
  private static func scopes(_ context: Context) async throws -> Measurement {
    let client = try Scene.client(try await Scene.memoryCache(accounts: 1))
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await client.accessToken(for: Scene.scopes) }
    } subject: { count in
      for _ in 0..<count { _ = try await client.accessToken(for: Scene.scopesInAnotherCase) }
    }
    return measurement("1", "scopes compared as sets without regard to case, in each hit", pairs)
  }

  /// Row 1: which record is current is remembered; without it each call lists the keys.
  private static func currentKey(_ context: Context) async throws -> [Measurement] {
    let memory = try await Scene.memoryCache(accounts: 1)
    let file = try Scene.fileCache(try await context.fileCache(accounts: 1))
    var measurements: [Measurement] = []
    for (cache, name) in [(memory as any TokenCache, "memory"), (file, "file")] {
      let client = try Scene.client(cache)
      let pairs = try await Pairs.compare(context, by: .processor) { count in
        for _ in 0..<count { _ = try await client.accessToken() }
      } subject: { count in
        for _ in 0..<count {
          _ = try await cache.keys()
          _ = try await client.accessToken()
        }
      }
      measurements.append(measurement("1", "keys listed in each hit, \(name) cache of 1 account", pairs))
    }
    return measurements
  }

  /// Row 3b: what was read stays in memory while the file is unchanged; without it each call reads the file.
  private static func memoryCopy(_ context: Context) async throws -> Measurement {
    let directory = try await context.fileCache(accounts: 1)
    // To a clock that has never advanced no file looks old enough to be kept in memory.
    let forgetful = try FileTokenCache(directory: directory, now: { .distantPast })
    let (client, simple) = (try Scene.client(try Scene.fileCache(directory)), try Scene.client(forgetful))
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = try await client.accessToken() }
    } subject: { count in
      for _ in 0..<count { _ = try await simple.accessToken() }
    }
    return measurement("3b", "the file read in each hit, file cache", pairs)
  }

  /// Row 6: the date reader against Foundation's format style.
  ///
  /// It exists for the forms that servers write (no offset, fractions of any length), not for speed.
  private static func date(_ context: Context) async throws -> Measurement {
    let texts = (0..<20).map { "2026-01-02T03:04:05.\(100 + $0)Z" }
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { for text in texts { _ = TaskDate.date(from: text) } }
    } subject: { count in
      for _ in 0..<count { for text in texts { _ = try style.parse(text) } }
    }
    return measurement("6", "20 dates read by ISO8601FormatStyle", pairs)
  }

  /// Row 7: with account and policy named there is one key; without it the keys are listed.
  private static func namedAccount(_ context: Context) async throws -> Measurement {
    let directory = try await context.fileCache(accounts: 1)
    let policy = try Policy(Scene.policyID)
    let account = Scene.account(0)
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count {
        _ = try await Scene.client(try Scene.fileCache(directory)).accessToken(account: account, policy: policy)
      }
    } subject: { count in
      for _ in 0..<count { _ = try await Scene.client(try Scene.fileCache(directory)).accessToken(account: account) }
    }
    return measurement("7", "keys listed to find one of 1 account, new client and cache", pairs)
  }

  /// Row 10: random bytes come in words of the system's generator; the simple version asks for each byte.
  private static func randomBytes(_ context: Context) async throws -> Measurement {
    let pairs = try await Pairs.compare(context, by: .processor) { count in
      for _ in 0..<count { _ = RandomToken.make(bytes: 32) }
    } subject: { count in
      for _ in 0..<count {
        var generator = SystemRandomNumberGenerator()
        _ = Secret(Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
      }
    }
    return measurement("10", "a token of 32 random bytes, one at a time", pairs)
  }

  private static func measurement(_ row: String, _ name: String, _ pairs: Pairs) -> Measurement {
    var measurement = Measurement(name, pairs)
    measurement.row = row
    measurement.subject = subject
    let (product, simple) = (pairs.baseline.median * 1e6, pairs.subject.median * 1e6)
    measurement.remark =
      "\(Report.text(product, "µs")) in the product, \(Report.text(simple, "µs")) in the simple version"
    return measurement
  }
}
