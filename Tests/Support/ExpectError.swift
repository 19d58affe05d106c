package import B2CCore
package import Foundation
package import Testing

/// An error with a code; errors are not equal by their code.
package protocol CodedError: Error {
  associatedtype Code: Equatable
  var code: Code { get }
}

extension ConnectorError: CodedError {}
extension URLError: CodedError {}

/// Expects a call to throw an error of a type, with a code and, if given, some words of its message.
package func expectError<Failure: CodedError, Value>(
  _ type: Failure.Type, _ code: Failure.Code, saying words: String? = nil,
  _ comment: @autoclosure () -> Comment? = nil,
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  performing call: () async throws -> Value
) async {
  var result = Result<Void, any Error>.success(())
  do { _ = try await call() } catch { result = .failure(error) }
  expectError(type, code, saying: words, comment(), sourceLocation: sourceLocation) { try result.get() }
}

/// Expects the same of a call that does not wait.
package func expectError<Failure: CodedError, Value>(
  _ type: Failure.Type, _ code: Failure.Code, saying words: String? = nil,
  _ comment: @autoclosure () -> Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation, performing call: () throws -> Value
) {
  let comment = comment()
  let error = #expect(throws: type, comment, sourceLocation: sourceLocation) { _ = try call() }
  guard let error else { return }
  #expect(error.code == code, comment, sourceLocation: sourceLocation)
  guard let words, let message = (error as? ConnectorError)?.message else { return }
  #expect(message.contains(words), comment, sourceLocation: sourceLocation)
}
