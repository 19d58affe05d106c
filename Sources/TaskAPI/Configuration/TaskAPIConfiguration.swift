public import Foundation

/// Where the task server is and how it wants to be spoken to.
///
/// ```swift
/// let configuration = try TaskAPIConfiguration(
///   baseURL: URL(string: "https://tasks.example.com/api/tasks")!, dialect: .repository)
/// ```
public struct TaskAPIConfiguration: Sendable, Hashable {
  /// The URL of the list of tasks, with or without a slash at its end; a query in it goes along with every request.
  public var baseURL: URL
  /// Under which name texts are written.
  public var dialect: TaskDialect
  /// How a deletion names its task.
  public var deletion: TaskDeletion
  /// How a changed task is written.
  public var update: TaskUpdate
  /// Whether a deletion is checked by a list afterwards.
  ///
  /// The server of the sample's repository answers `204` to a deletion that deletes nothing.
  public var verifiesDeletion: Bool
  /// Whose tasks ``TaskAPIClient/list(owner:)`` gives; `nil` for all that the server sends.
  ///
  /// The known servers can mix up the tasks of users who call at the same time.
  public var ownerFilter: String?
  /// The longest text of a task that is sent, in bytes of UTF-8.
  public var maximumNameBytes: Int
  /// How long a call may take, and how large a list may be.
  public var limits: TransportLimits
  /// When a call that may be sent twice without harm is sent again.
  public var retry: RetryPolicy

  /// 32 MiB of body, which is room for more than 100,000 tasks, 30 seconds in all, 15 seconds of silence.
  public static let standardLimits = TransportLimits(maximumBodyBytes: 32 << 20)

  /// Makes a configuration.
  ///
  /// - Parameters:
  ///   - baseURL: The URL of the list of tasks: https, or http to this machine.
  ///   - dialect: Under which name texts are written.
  ///   - deletion: How a deletion names its task.
  ///   - update: How a changed task is written.
  ///   - verifiesDeletion: Whether a deletion is checked by a list afterwards.
  ///   - ownerFilter: Whose tasks a list gives; `nil` for all.
  ///   - maximumNameBytes: The longest text of a task that is sent, in bytes of UTF-8.
  ///   - limits: How long a call may take, and how large a list may be.
  ///   - retry: When a call that may be sent twice without harm is sent again.
  /// - Throws: ``TaskAPIError`` with ``TaskAPIError/Code/invalidConfiguration`` when the URL is neither https nor http
  ///   to this machine, has no host, carries user name, password or fragment, or has its port in the path, or when a
  ///   limit is not positive.
  public init(
    baseURL: URL, dialect: TaskDialect = .tutorial, deletion: TaskDeletion = .automatic, update: TaskUpdate = .put,
    verifiesDeletion: Bool = false, ownerFilter: String? = nil, maximumNameBytes: Int = 65_536,
    limits: TransportLimits = TaskAPIConfiguration.standardLimits, retry: RetryPolicy = .standard
  ) throws {
    self.baseURL = baseURL
    self.dialect = dialect
    self.deletion = deletion
    self.update = update
    self.verifiesDeletion = verifiesDeletion
    self.ownerFilter = ownerFilter
    self.maximumNameBytes = maximumNameBytes
    self.limits = limits
    self.retry = retry
    try validate()
  }
}
