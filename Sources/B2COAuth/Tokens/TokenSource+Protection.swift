internal import B2CCore
internal import B2CTokenCache

extension TokenSource {
  /// The refresh token to send; where it is protected, the user is asked for it now.
  ///
  /// One that is gone ends the session, for a new enrolment has made it useless: who it was stays known.
  func refreshToken(of record: TokenRecord, _ request: Request) async throws -> Secret {
    if let token = try await services.cache.refreshToken(of: record) { return token }
    let now = services.environment.now()
    _ = try await store(request, record) { $0.isSameSession(as: record) ? $0.losingRefreshToken(at: now) : nil }
    throw Self.invalidated
  }
}
