internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// One sign-in's listener: knows which request to wait for and what to answer.
struct LoopbackFlow: Sendable {
  let redirect: LoopbackRedirectURI
  let state: Secret
  let pages: LoopbackPages
  let answers: AsyncThrowingStream<URL, any Error>.Continuation

  /// Starts to listen where the redirect URI says.
  ///
  /// - Throws: ``OAuthError`` with code ``OAuthError/Code/portInUse`` or ``OAuthError/Code/presentationFailed``.
  func listen() async throws -> LoopbackListener {
    do {
      return try await listen(at: redirect.addresses)
    } catch let error as LoopbackListenerError {
      // Somebody else at the address that the URI does not name takes nothing from this flow.
      if redirect.isLiteral, let listener = try? await listen(at: Array(redirect.addresses.prefix(1))) {
        return listener
      }
      throw Self.translate(error, port: redirect.port)
    }
  }

  private func listen(at addresses: [LoopbackAddress]) async throws -> LoopbackListener {
    // The first answer wins: reloading the page cannot bring a second one.
    let isAnswered = Locked(false)
    return try await LoopbackListener(port: redirect.port, addresses: addresses, limits: .redirect) { exchange in
      guard
        let callback = LoopbackCallback(
          exchange.request, path: redirect.path,
          redirectURI: redirect.listening(on: exchange.port), state: state),
        isAnswered.withLock({ isAnswered in
          defer { isAnswered = true }
          return !isAnswered
        })
      else {
        await exchange.respond(LoopbackPages.notFound)
        return
      }
      let language = exchange.request.headers["Accept-Language"]
      await exchange.respond(pages.response(isSuccess: callback.isSuccess, acceptLanguage: language))
      answers.yield(callback.url)
    }
  }

  private static func translate(_ error: LoopbackListenerError, port: UInt16) -> OAuthError {
    if error.code == .portInUse {
      return OAuthError(
        .portInUse, "Port \(port) of the redirect URI is in use by another program.",
        recoverySuggestion: "End that program or another sign-in that is still open, or register another port.",
        underlying: error)
    }
    return OAuthError(
      .presentationFailed, "The redirect cannot be listened for: \(error.message)", underlying: error)
  }
}
