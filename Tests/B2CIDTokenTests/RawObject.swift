/// A JSON object as text, so that a test can write fields twice, out of order or in forms no encoder gives.
struct RawObject: Sendable {
  var members: [(name: String, json: String)]

  init(_ members: [(name: String, json: String)]) {
    self.members = members
  }

  /// The JSON text of a field, which `nil` removes.
  subscript(name: String) -> String? {
    get { members.first { $0.name == name }?.json }
    set {
      let index = members.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let json?): members[index].json = json
      case (let index?, nil): members.remove(at: index)
      case (nil, let json?): members.append((name, json))
      case (nil, nil): break
      }
    }
  }

  /// Adds a field even when there is one of that name.
  mutating func add(_ name: String, _ json: String) {
    members.append((name, json))
  }

  var text: String {
    "{" + members.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",") + "}"
  }
}
