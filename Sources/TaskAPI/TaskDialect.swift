internal import B2CCore
internal import Foundation

/// The field names and routes of a task server.
///
/// Titles are read under either name; the dialect says which one is written.
public struct TaskDialect: Sendable, Hashable {
  /// The JSON key of a task's title.
  package let titleKey: String
  /// Whether `base/{id}` names one task, so that the server deletes by id.
  package let routesByID: Bool

  /// The server of Microsoft's tutorial: the title is `task`, and tasks are deleted by title.
  public static let tutorial = TaskDialect(titleKey: "task", routesByID: false)
  /// The server of the sample's repository: the title is `Text`.
  public static let repository = TaskDialect(titleKey: "Text", routesByID: false)
  /// Own servers: `GET`/`POST base`, `PUT`/`DELETE base/{id}`; the title is `task`.
  public static let rest = TaskDialect(titleKey: "task", routesByID: true)

  var otherTitleKey: String { titleKey == "task" ? "Text" : "task" }
}
