internal import B2CIDToken
package import Foundation

/// The answers of a provider to requests for its documents, for a diagnosis.
package struct ProviderProbe: Sendable {
  /// The issuer that the metadata names, or why there is no usable metadata.
  package let issuer: Result<String, OAuthError>
  /// How many keys can verify a signature, or why the keys cannot be fetched; `nil` without metadata.
  package let usableKeys: Result<Int, OAuthError>?
  /// How far this device's clock is behind the server's, in seconds; `nil` without an answer.
  package let clockOffset: TimeInterval?
  /// The authorization endpoint; `nil` without metadata.
  package let authorizationEndpoint: URL?
  /// The token endpoint; `nil` without metadata.
  package let tokenEndpoint: URL?
}

extension OAuthClient {
  /// Fetches metadata and keys of a policy anew.
  package func probe(_ policy: Policy?) async throws -> ProviderProbe {
    do {
      let metadata = try await services.providers.metadata(for: policy)
      let keys: Result<Int, OAuthError>
      do {
        keys = .success(try await services.providers.keys(of: metadata, policy: policy).usableCount)
      } catch let error as OAuthError {
        keys = .failure(error)
      }
      let own = try? Endpoints(authority: configuration.authority, policy: policy)
      return ProviderProbe(
        issuer: .success(metadata.issuer), usableKeys: keys, clockOffset: services.serverClock.measuredOffset,
        authorizationEndpoint: own?.authorization ?? metadata.authorizationEndpoint,
        tokenEndpoint: own?.token ?? metadata.tokenEndpoint)
    } catch let error as OAuthError {
      let isAnswered = error.server?.status != nil || error.code != .network
      return ProviderProbe(
        issuer: .failure(error), usableKeys: nil, clockOffset: isAnswered ? services.serverClock.measuredOffset : nil,
        authorizationEndpoint: nil, tokenEndpoint: nil)
    }
  }
}

extension JWKSet {
  /// How many keys can verify a signature.
  fileprivate var usableCount: Int {
    keys.count { $0.unsuitability == nil }
  }
}
