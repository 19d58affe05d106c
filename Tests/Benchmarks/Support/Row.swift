/// A row of the goals table: one subject and its baseline.
struct Row: Sendable {
  /// The row's number in the goals table, such as `1b`.
  let number: String
  let title: String
  /// What the row means to a user of an app.
  let meaning: String
  let run: @Sendable (Context) async throws -> [Measurement]
}

/// One measured figure.
struct Measurement: Codable, Sendable {
  var row = ""
  var name: String
  var value: Double
  var unit: String
  /// The quartiles, of a median.
  var quartiles: [Double]?
  /// The most that is allowed; `nil` for a figure that is shown for information.
  var goal: Double?
  /// Whether the figure is a count, the same in every run, and is asserted.
  var isCount = false
  /// What else a reader has to know, such as why a goal is missed.
  var remark: String?
  /// When it was measured.
  var date: String?
  /// Whether it is of a run with `--quick`, and nothing to publish.
  var isQuick: Bool?

  init(_ name: String, _ value: Double, _ unit: String, goal: Double? = nil, remark: String? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.goal = goal
    self.remark = remark
  }

  /// A count that is the same in every run; of requests, the goal is the one right number.
  init(count name: String, _ value: Double, _ unit: String, goal: Double, remark: String? = nil) {
    self.init(name, value, unit, goal: goal, remark: remark)
    isCount = true
  }

  /// A ratio of subject and baseline.
  init(_ name: String, _ pairs: Pairs, goal: Double? = nil, remark: String? = nil) {
    self.init(name, pairs.ratio.median, "x", goal: goal, remark: remark)
    quartiles = [pairs.ratio.lower, pairs.ratio.upper]
  }

  /// Whether the goal is the only good value: no token request is as wrong as two.
  var isExact: Bool { isCount && unit == "requests" }

  /// Whether the goal is met; `nil` for a figure without a goal.
  var isMet: Bool? { goal.map { isExact ? value == $0 : value <= $0 } }

  func of(_ row: Row) -> Measurement {
    var copy = self
    copy.row = row.number
    return copy
  }
}
