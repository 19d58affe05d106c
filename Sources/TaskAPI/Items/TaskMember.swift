/// The JSON names of a task's members.
///
/// The failable initialisers refuse the known names: a keyed container then lists the unknown ones only, which keeps
/// them cheap to collect. `__v`, the revision that Mongoose puts into every document, counts as known here; `Text` does
/// not, so that a document with both names shows itself without a look-up for each of the others.
struct TaskMember: CodingKey {
  static var id: TaskMember { TaskMember(known: "_id") }
  static var owner: TaskMember { TaskMember(known: "owner") }
  static var tutorialName: TaskMember { TaskMember(known: "task") }
  static var repositoryName: TaskMember { TaskMember(known: "Text") }
  static var completed: TaskMember { TaskMember(known: "completed") }
  static var date: TaskMember { TaskMember(known: "date") }
  static var version: TaskMember { TaskMember(known: "__v") }

  let stringValue: String
  var intValue: Int? { nil }

  init(known name: String) {
    stringValue = name
  }

  init?(stringValue: String) {
    guard !Self.isKnown(stringValue) else { return nil }
    self.stringValue = stringValue
  }

  /// By length first: this runs for every member of every task.
  private static func isKnown(_ name: String) -> Bool {
    switch name.utf8.count {
    case 3: name == "_id" || name == "__v"
    case 4: name == "task" || name == "date"
    case 5: name == "owner"
    case 9: name == "completed"
    default: false
    }
  }

  init?(intValue: Int) { nil }
}
