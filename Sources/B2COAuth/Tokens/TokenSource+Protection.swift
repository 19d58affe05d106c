internal import B2CCore
internal import B2CTokenCache

extension TokenSource {
  /// The refresh token to send; where it is protected, the user is asked for it now.
  ///
  /// One that is gone ends the session, for a new enrolment has made it useless: who it was stays known.
  ///
  /// - Returns: `nil` when it is gone because a sign-in has replaced the record meanwhile, or a sign-out has removed it.
  func refreshToken(of record: TokenRecord, _ request: Request) async throws -> Secret? {
    if let token = try await services.cache.refreshToken(of: record) { return token }
    let now = services.environment.now()
    let isStored = try await store(request, record) {
      $0.isSameSession(as: record) ? $0.losingRefreshToken(at: now) : nil
    }
    guard isStored else { return nil }
    throw Self.invalidated
  }
}
