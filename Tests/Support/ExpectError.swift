package import B2CCore
package import Testing

/// Expects a call to throw an error of a type, with a code; errors are not equal by their code.
package func expectError<Failure: CodedError, Value>(
  _ type: Failure.Type, _ code: Failure.Code, _ comment: @autoclosure () -> Comment? = nil,
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  performing call: () async throws -> Value
) async {
  var result = Result<Void, any Error>.success(())
  do { _ = try await call() } catch { result = .failure(error) }
  expect(result, type, code, comment(), sourceLocation)
}

/// Expects the same of a call that does not wait.
package func expectError<Failure: CodedError, Value>(
  _ type: Failure.Type, _ code: Failure.Code, _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, performing call: () throws -> Value
) {
  expect(Result { _ = try call() }, type, code, comment(), sourceLocation)
}

private func expect<Failure: CodedError>(
  _ result: Result<Void, any Error>, _ type: Failure.Type, _ code: Failure.Code, _ comment: Comment?,
  _ sourceLocation: SourceLocation
) {
  let error = #expect(throws: type, comment, sourceLocation: sourceLocation) { try result.get() }
  if let error { #expect(error.code == code, comment, sourceLocation: sourceLocation) }
}
