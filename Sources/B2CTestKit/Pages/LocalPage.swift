/// What a page shows: a heading, words, fields, buttons.
///
/// ``LocalHTML`` makes HTML of it.
struct LocalPage: Sendable {
  struct Field: Sendable {
    let name: String
    let label: String
    var type = "text"
    var autocomplete = "off"
    var value = ""
    var isRequired = true
  }

  struct Button: Sendable {
    let action: String
    let label: String
    /// Whether it works with empty fields and stands back behind the first.
    var isSecondary = true
  }

  var title: String
  var text: [String] = []
  var alert: String?
  var formAction: String?
  var hidden: [(name: String, value: String)] = []
  var fields: [Field] = []
  var buttons: [Button] = []
}
