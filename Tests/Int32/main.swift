// The rows of `TimeRows` on a machine with a 32-bit `Int`; `.ci/int32` builds and runs it. A trap ends it with an error.

func faults() -> [String] {
  TimeRows.instants.flatMap(TimeRows.faults)
    + TimeRows.readings.filter { !TimeRows.reads($0.text, $0.seconds) }.map { "read \($0.text)" }
    + TimeRows.writings.filter { !TimeRows.writes($0.seconds, $0.internet) }.map { "write \($0.internet)" }
    + TimeRows.distances.filter { !TimeRows.says($0.seconds, $0.text) }.map { "say \($0.text)" }
}

let rows = TimeRows.instants.count + TimeRows.readings.count + TimeRows.writings.count + TimeRows.distances.count
let wrong = faults()
for fault in wrong { print("WRONG \(fault)") }
// What `.ci/int32` looks for, word by word.
if wrong.isEmpty { print("\(rows) rows hold with an Int of \(Int.bitWidth) bits") }
