package import Foundation

/// What a provider answered to a look at its documents, step by step, for a diagnosis.
package struct ProviderProbe: Sendable {
  /// The issuer that the metadata names, or why there is no usable metadata.
  package let issuer: Result<String, OAuthError>
  /// How many keys can verify a signature, or why the keys cannot be had; `nil` when there is no metadata.
  package let usableKeys: Result<Int, OAuthError>?
  /// How far this device's clock is behind the server's, in seconds; `nil` when no answer came.
  package let clockOffset: TimeInterval?
}

extension OAuthClient {
  /// Fetches metadata and keys of a policy anew and says how that went.
  package func probe(_ policy: Policy?) async throws -> ProviderProbe {
    do {
      let metadata = try await services.providers.metadata(for: policy)
      let keys: Result<Int, OAuthError>
      do {
        keys = .success(try await services.providers.keys(of: metadata).usableCount)
      } catch let error as OAuthError {
        keys = .failure(error)
      }
      return ProviderProbe(
        issuer: .success(metadata.issuer), usableKeys: keys, clockOffset: services.serverClock.measuredOffset)
    } catch let error as OAuthError {
      let isAnswered = error.server?.status != nil || error.code != .network
      return ProviderProbe(
        issuer: .failure(error), usableKeys: nil, clockOffset: isAnswered ? services.serverClock.measuredOffset : nil)
    }
  }
}

extension JWKSet {
  /// How many keys can verify a signature.
  fileprivate var usableCount: Int {
    keys.count { if case .success = $0.material { true } else { false } }
  }
}
