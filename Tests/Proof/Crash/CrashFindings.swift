/// What was seen after the kills.
struct CrashFindings {
  var kills = 0
  var duringAChange = 0
  var duringAWrite = 0
  var foundOld = 0
  var foundNew = 0
  var reads = 0
  var finishedChanges = 0
  private(set) var broken: [String] = []

  mutating func note(_ finding: String, _ round: Int) {
    broken.append("round \(round): \(finding)")
  }

  func show() {
    var table = Table("crash", "count")
    table.add("writers killed (SIGKILL)", "\(kills)")
    table.add("  in the middle of a change", "\(duringAChange)")
    table.add("  with a half-written temporary file left", "\(duringAWrite)")
    table.add("changes finished before the kills", "\(finishedChanges)")
    table.add("records read afterwards", "\(reads)")
    table.add("  interrupted, found old", "\(foundOld)")
    table.add("  interrupted, found new", "\(foundNew)")
    table.add("promises broken", "\(broken.count)")
    table.show()
    for finding in broken.prefix(10) { print("BROKEN  \(finding)") }
  }
}
