/// The way to a value: `policies.signIn.id`, `scopes[0]`.
struct KeyPath: CustomStringConvertible {
  private var parts: [String] = []

  init() {}

  init(_ key: String) {
    parts = [Self.shown(key)]
  }

  var description: String { parts.joined() }

  mutating func push(key: String) {
    parts.append((parts.isEmpty ? "" : ".") + Self.shown(key))
  }

  mutating func push(index: Int) {
    parts.append("[\(index)]")
  }

  mutating func pop() {
    if !parts.isEmpty { parts.removeLast() }
  }

  func appending(key: String) -> KeyPath {
    var copy = self
    copy.push(key: key)
    return copy
  }

  func appending(index: Int) -> KeyPath {
    var copy = self
    copy.push(index: index)
    return copy
  }

  private static func shown(_ key: String) -> String {
    Shown.value(key) ?? "…"
  }
}
