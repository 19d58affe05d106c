internal import Foundation

extension OAuthError {
  /// Runs a step; an error of it that names no request gets the correlation id of the call.
  static func echoing<Value>(_ correlationID: UUID, _ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch var error as OAuthError where error.correlationID == nil {
      error.correlationID = correlationID
      throw error
    }
  }
}
