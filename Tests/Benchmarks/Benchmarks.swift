import Foundation

/// `swift run -c release benchmarks`: every row of the goals table, each beside its baseline in the same process and run.
///
/// Ends with 0 when every row ran and the exact counts hold, with 1 otherwise. No time is asserted: times are shown with
/// their goals.
@main
struct Benchmarks {
  /// Every row, those that users feel first; one more is an extension of `Row` in `Rows` and a name here.
  static let rows: [Row] =
    [
      .firstToken, .signInPage, .endurance, .silentHit, .mainActorHit, .parallelHit, .keychainHit, .userGrowth,
      .store, .foreignChange, .tokenRequests, .taskCall, .decoding, .launch, .idToken, .consumerBuild,
    ] + Row.server

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.first == "child" {
        try await Child.run(Array(arguments.dropFirst()))
        exit(0)
      }
      exit(try await run(Options(arguments)) ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
      exit(2)
    }
  }

  private static func run(_ options: Options) async throws -> Bool {
    let context = try Context(options)
    defer { context.workspace.remove() }
    var measurements: [Measurement] = []
    var isComplete = true
    for row in rows where options.only.isEmpty || options.only.contains(row.number) {
      note("row \(row.number): \(row.title)")
      do {
        measurements += try await row.run(context).map { $0.of(row) }
      } catch {
        isComplete = false
        note("row \(row.number) did not run: \(error)")
      }
    }
    let report = Report(measurements, isQuick: options.isQuick)
    report.show()
    if let file = options.json { try report.merge(into: file) }
    if options.writes, let file = options.json { try Report(contentsOf: file).write() }
    let broken = measurements.filter { $0.isCount && $0.isMet == false }
    for measurement in broken { note("row \(measurement.row), \(measurement.name): a count does not hold") }
    return isComplete && broken.isEmpty
  }

  private static func note(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}
