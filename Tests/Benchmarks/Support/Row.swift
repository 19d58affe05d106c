/// A row of the goals table: one subject and its baseline.
struct Row: Sendable {
  /// The row's number in the goals table, for example `1b`.
  let number: String
  let title: String
  /// The comparison, and its meaning to the user of an app; printed below the table.
  let meaning: String
  /// Whether it takes minutes, so that `--check` leaves it out.
  var takesMinutes = false
  let run: @Sendable (Context) async throws -> [Measurement]
}

/// A measured figure.
struct Measurement: Encodable, Sendable {
  var row = ""
  var name: String
  var value: Double
  var unit: String
  /// The quartiles, of a median.
  var quartiles: [Double]?
  /// The most that is allowed; `nil` for a figure that is shown for information.
  var goal: Double?
  /// Whether the figure is a count, which is the same in every run.
  var isCount = false

  init(_ name: String, _ value: Double, _ unit: String, goal: Double? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.goal = goal
  }

  /// A count that is the same in every run; of requests, the goal is the one right number.
  init(count name: String, _ value: Double, _ unit: String, goal: Double) {
    self.init(name, value, unit, goal: goal)
    isCount = true
  }

  /// A ratio of subject and baseline.
  init(_ name: String, _ pairs: Pairs, goal: Double? = nil) {
    self.init(name, pairs.ratio.median, "x", goal: goal)
    quartiles = [pairs.ratio.lower, pairs.ratio.upper]
  }

  /// Whether the goal is the only good value, because no token request is as wrong as two.
  var isExact: Bool { isCount && unit == "requests" }

  /// Whether the goal is met; `nil` for a figure without a goal.
  var isMet: Bool? { goal.map { isExact ? value == $0 : value <= $0 } }

  /// Whether the figure is so far from its goal that noise cannot be the reason.
  var isBroken: Bool { goal.map { isCount ? isMet == false : value > 2 * $0 } ?? false }

  func of(_ row: Row) -> Measurement {
    var copy = self
    copy.row = row.number
    return copy
  }
}
