import B2CConnector
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let decoding = Row(
    number: "6", title: "decode 20 / 1,000 / 100,000 tasks with dates and unknown members",
    meaning: """
      A list of tasks has arrived and is decoded, with dates and with members that the SDK does not know. The baseline \
      is a JSONDecoder that leaves the date as text and skips the other members.
      """
  ) { context in
    var measurements: [Measurement] = []
    for (tasks, label) in [(20, "20"), (1_000, "1,000"), (100_000, "100,000")] {
      let body = TaskLists.json(tasks: tasks)
      let client = try Self.client(body)
      let pairs = try await Pairs.compare(context, pairs: tasks > 10_000 ? 7 : 31, by: .processor) { times in
        for _ in 0..<times { _ = try JSONDecoder().decode([TextTask].self, from: body) }
      } subject: { times in
        for _ in 0..<times { _ = try await client.list() }
      }
      measurements.append(Measurement("\(label) tasks against dates left as text", pairs, goal: 2.5))
      measurements.append(Measurement("\(label) tasks, time", pairs.subject.median * 1e6, "µs"))
    }
    return measurements
  }

  static func client(_ body: Data) throws -> TaskAPIClient {
    try TaskAPIClient(
      baseURL: try Scene.url("https://tasks.example/tasks"),
      transport: SameAnswer(response: LocalResponse(status: 200, body: body))
    ) { "token-1" }
  }
}

/// The floor: Foundation's decoder, with the date left as text and other members skipped.
private struct TextTask: Decodable {
  let _id: String
  let task: String
  let owner: String?
  let completed: Bool
  let date: String
}
