import B2CConnector
import B2CTestKit

/// A request of the package that can meet a fault; the table's columns.
enum FaultOperation: String, CaseIterable, Sendable {
  case metadata
  case keys
  case code = "token (code)"
  case refresh = "token (refresh)"
  case list
  case add
  case delete

  /// Which requests the fault happens to.
  var target: LocalFaultTarget {
    switch self {
    case .metadata: .metadata
    case .keys: .keys
    case .code: .tokenCode
    case .refresh: .tokenRefresh
    case .list: .list
    case .add: .add
    case .delete: .delete
    }
  }

  /// Whether the task API is asked, and not the tenant.
  var isOfTaskAPI: Bool { [.list, .add, .delete].contains(self) }
  /// Whether the request is sent again when an answer is lost or bad for a while.
  var isRepeated: Bool { [.metadata, .keys, .list, .delete].contains(self) }
}
