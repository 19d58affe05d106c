import B2CTestKit
import Foundation
import TestSupport

extension FuzzTarget {
  /// Answers of task servers, in both dialects.
  static let tasks = FuzzTarget(name: "tasks", parse: { _ = tasks(in: $0, .tutorial) }, check: checkTasks)

  private static let sentToken = "0.AbCdEfGh1jKlMn0pQrStUvWxYz-sent_token.QrStUv"
  private static let hidden = HiddenSecrets(sentToken)

  private static func tasks(in bytes: [UInt8], _ dialect: TaskDialect) -> [TaskItem]? {
    (try? JSONReader.value(bytes)).flatMap { try? TaskItem.list($0, in: dialect) }
  }

  @Sendable private static func checkTasks(_ input: [UInt8]) throws {
    for dialect in [TaskDialect.tutorial, .repository, .rest] {
      for task in tasks(in: input, dialect) ?? [] { try check(task, dialect) }
    }
    try checkErrors(input)
    if let date = Dates.internet(String(decoding: input, as: UTF8.self)) { try check(date) }
  }

  private static func check(_ task: TaskItem, _ dialect: TaskDialect) throws {
    if let date = task.creationDate { try check(date) }
    // A task that is sent back is read as the same task, with its date to the millisecond.
    let again: TaskItem
    do {
      again = try TaskItem(task.document(in: dialect), in: dialect)
    } catch {
      throw Broken("a task that was read cannot be read again: \(error)")
    }
    try expect(
      again.serverID == task.serverID && again.itemName == task.itemName && again.completed == task.completed
        && again.ownerName == task.ownerName && again.unknownFields == task.unknownFields,
      "\(task) is read again as \(again)")
    guard case .object(let draft) = task.draft(in: dialect) else { throw Broken("a draft that is not an object") }
    try expect(draft["_id"] == nil && draft["owner"] == nil && draft["date"] == nil, "a draft sets the server's fields")
  }

  private static func check(_ date: Date) throws {
    let text = Dates.internet(date)
    guard let again = Dates.internet(text) else { throw Broken("\(text) cannot be read again") }
    try expect(Dates.internet(again) == text, "\(text) is written again as \(Dates.internet(again))")
    let seconds = date.timeIntervalSince1970
    if (-62_167_219_200...253_402_300_799).contains(seconds) {
      try expect(abs(again.timeIntervalSince(date)) < 0.002, "\(date) is read again as \(again)")
    }
  }

  /// The whole client, with the input as the body of a refusal.
  private static func checkErrors(_ input: [UInt8]) throws {
    guard let url = URL(string: "https://api.example.com/tasks") else { return }
    let transport = CannedTransport(LocalResponse(status: 422, body: Data(input)))
    let client = try TaskAPIClient(baseURL: url, transport: transport) { sentToken }
    let error = waiting { () -> (any Error)? in
      do {
        _ = try await client.list()
        return nil
      } catch {
        return error
      }
    }
    guard let failure = error as? ConnectorError else { throw Broken("a refusal that is not a ConnectorError") }
    try hidden.check(failure)
    try expect(failure.description.count < 1_200, "a description of \(failure.description.count) characters")
  }
}
