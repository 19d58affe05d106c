package import B2CCore
package import Foundation
package import Testing

/// Expects a call to throw an error of a type, with a code and, if given, some words; errors are not equal by their code.
package func expectError<Value>(
  _ type: ConnectorError.Type, _ code: ErrorCode, saying words: String? = nil,
  _ comment: @autoclosure () -> Comment? = nil,
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  performing call: () async throws -> Value
) async {
  var result = Result<Void, any Error>.success(())
  do { _ = try await call() } catch { result = .failure(error) }
  expect(result, type, code, words, comment(), sourceLocation)
}

/// Expects the same of a call that does not wait.
package func expectError<Value>(
  _ type: ConnectorError.Type, _ code: ErrorCode, saying words: String? = nil,
  _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, performing call: () throws -> Value
) {
  expect(Result { _ = try call() }, type, code, words, comment(), sourceLocation)
}

private func expect(
  _ result: Result<Void, any Error>, _ type: ConnectorError.Type, _ code: ErrorCode, _ words: String?,
  _ comment: Comment?,
  _ sourceLocation: SourceLocation
) {
  let error = #expect(throws: type, comment, sourceLocation: sourceLocation) { try result.get() }
  guard let error else { return }
  #expect(error.code == code, comment, sourceLocation: sourceLocation)
  if let words { #expect(error.message.contains(words), comment, sourceLocation: sourceLocation) }
}

/// Expects a call to throw what Foundation's URL loading throws, with a code.
package func expectError<Value>(
  _ type: URLError.Type, _ code: URLError.Code, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation, performing call: () async throws -> Value
) async {
  var result = Result<Void, any Error>.success(())
  do { _ = try await call() } catch { result = .failure(error) }
  let error = #expect(throws: type, sourceLocation: sourceLocation) { try result.get() }
  #expect(error?.code == code, sourceLocation: sourceLocation)
}
