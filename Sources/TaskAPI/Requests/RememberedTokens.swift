/// Remembers which tokens were sent last, so that an answer that gives one back is not shown with it.
final class RememberedTokens: AccessTokenProvider {
  private static let capacity = 4

  private let base: any AccessTokenProvider
  private let sent = Locked<[Secret]>([])

  init(_ base: any AccessTokenProvider) {
    self.base = base
  }

  var tokens: [Secret] {
    sent.withLock { $0 }
  }

  func accessToken(replacing refused: Secret?) async throws -> Secret {
    let token = try await base.accessToken(replacing: refused)
    sent.withLock { sent in
      guard sent.last != token else { return }
      sent.append(token)
      if sent.count > Self.capacity { sent.removeFirst() }
    }
    return token
  }
}
