internal import Foundation

extension OAuthError {
  /// Runs a step after a request with a correlation id; an error that names none gets it.
  static func echoing<Value>(_ correlationID: UUID?, _ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch var error as OAuthError where error.correlationID == nil {
      error.correlationID = correlationID
      throw error
    }
  }
}
