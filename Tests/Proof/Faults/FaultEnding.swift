import B2CConnector
import Foundation

/// How a call ended.
struct FaultEnding: Sendable {
  /// The error's code, `value`, `cancelled`, or the type of an error that should not be.
  let outcome: String
  /// All that the error tells.
  var text = ""
  /// Whether the error says that the change may have been made.
  var outcomeIsUnknown = false

  /// Calls something and says how that ended.
  static func of(_ body: @Sendable () async throws -> Void) async -> FaultEnding {
    do {
      try await body()
      return FaultEnding(outcome: "value")
    } catch let error as ConnectorError {
      return FaultEnding(
        outcome: error.code.rawValue, text: told(error), outcomeIsUnknown: error.outcomeIsUnknown)
    } catch let error as OAuthError {
      return FaultEnding(outcome: error.code.rawValue, text: told(error))
    } catch is CancellationError {
      return FaultEnding(outcome: "cancelled")
    } catch {
      return FaultEnding(outcome: "untyped \(type(of: error)): \(error)", text: told(error))
    }
  }

  private static func told(_ error: any Error) -> String {
    var text = "\(error) \(String(reflecting: error)) \(error.localizedDescription) \((error as NSError).userInfo) "
    dump(error, to: &text)
    if let underlying = (error as? ConnectorError)?.underlying { dump(underlying, to: &text) }
    return text
  }
}
