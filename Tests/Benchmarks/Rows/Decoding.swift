import B2CConnector
import B2CCore
import B2CTestKit
import Foundation
import TestSupport

extension Row {
  static let decoding = Row(
    number: "6", title: "decode 20 / 1,000 / 100,000 tasks with dates and unknown fields",
    meaning: "a long list appears as soon as it has arrived"
  ) { context in
    var measurements: [Measurement] = []
    for (tasks, label) in [(20, "20"), (1_000, "1,000"), (100_000, "100,000")] {
      let count = context.isQuick ? min(tasks, 2_000) : tasks
      let body = TaskLists.json(tasks: count)
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

/// The floor: Foundation's decoder, with the date left as text and other fields skipped.
private struct TextTask: Decodable {
  let _id: String
  let task: String
  let owner: String?
  let completed: Bool
  let date: String
}
