public import Foundation

/// A task as the server keeps it.
public struct LocalTask: Sendable, Hashable, Identifiable {
  /// The server's id, 24 hexadecimal digits.
  public let id: String
  /// Whose task it is, as the token said.
  public var owner: String
  /// What is to be done.
  public var text: String
  /// Whether it is done; absent until it is set.
  public var completed: Bool?
  /// When it was added.
  public var date: Date

  /// Makes a task.
  ///
  /// - Parameters:
  ///   - id: The server's id, 24 hexadecimal digits; drawn at random unless said otherwise.
  ///   - owner: Whose task it is.
  ///   - text: What is to be done.
  ///   - completed: Whether it is done.
  ///   - date: When it was added.
  public init(id: String? = nil, owner: String, text: String, completed: Bool? = nil, date: Date) {
    self.id = id ?? LocalTask.newID()
    self.owner = owner
    self.text = text
    self.completed = completed
    self.date = date
  }

  private static func newID() -> String {
    let digits = Array("0123456789abcdef")
    return String((0..<24).map { _ in digits.randomElement() ?? "0" })
  }
}
