import B2CCore
import Foundation
import TaskAPI
import Testing

@Suite struct TaskItemsTests {
  @Test func sendsNothingBeforeItIsAsked() async throws {
    let transport = CannedTransport(.text(200, Samples.tutorialList))
    let items = try client(transport).items()
    var iterator = items.makeAsyncIterator()
    #expect(transport.requests.isEmpty)
    #expect(try await iterator.next()?.itemName == "Buy milk")
    #expect(transport.requests.count == 1)
  }

  @Test func everyIterationIsARequest() async throws {
    let transport = CannedTransport(.text(200, "[]"), .text(200, Samples.repositoryList))
    let items = try client(transport).items()
    #expect(try await Array(items).isEmpty)
    #expect(try await Array(items).count == 2)
    #expect(transport.requests.count == 2)
  }

  @Test func endIsTheEnd() async throws {
    var iterator = try client(CannedTransport(.text(200, "[]"))).items().makeAsyncIterator()
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func goodTasksComeBeforeTheError() async throws {
    let transport = CannedTransport(.text(200, #"[{"task":"a"},{"task":1},{"task":"c"}]"#))
    var iterator = try client(transport).items().makeAsyncIterator()
    #expect(try await iterator.next()?.itemName == "a")
    do {
      _ = try await iterator.next()
      Issue.record("A number was taken for a text.")
    } catch let error as TaskAPIError {
      #expect(error.code == .invalidResponse && error.message.contains("[1].task"), "\(error.message)")
    }
    #expect(try await iterator.next() == nil)
  }

  /// All that a list can have in it: both dialects, escapes, brackets in texts, letters of two, three and four bytes.
  static let anything = """
    \u{FEFF} [ {"_id":"1","task":"a]}[{,\\"\\\\","more":[{"b":"]"},[],{}]} ,
    {"Text":"Gr\u{FC}\u{DF}e \u{65E5}\u{672C} \u{1F415} \\ud83d\\udc15 \\u0000","completed":true},{"task":""}\t]\r\n
    """

  @Test func splitAnywhereItIsTheSame() async throws {
    let bytes = Data(Self.anything.utf8)
    let whole = try await client(CannedStream([bytes])).list()
    #expect(whole.map(\.itemName) == ["a]}[{,\"\\", "Grüße 日本 🐕 🐕 \u{0}", ""])
    for cut in 0...bytes.count {
      let stream = CannedStream([bytes.prefix(cut), bytes.dropFirst(cut)])
      let tasks = try await Array(client(stream).items())
      #expect(tasks == whole, "cut at \(cut)")
    }
    let single = try await Array(client(CannedStream(bytes.map { Data([$0]) })).items())
    #expect(single == whole)
  }

  @Test func aListAsLargeAsTheServerGives() async throws {
    let count = 20_000
    let texts = (0..<count).map {
      #"{"_id":"\#($0)","task":"Task \#($0) [{\"]","owner":"a","date":"2026-01-01T00:00:00.000Z"}"#
    }
    let body = Data("[\(texts.joined(separator: ","))]".utf8)
    let pieces = stride(from: 0, to: body.count, by: 16_384).map { body[$0..<min($0 + 16_384, body.count)] }
    let client = try client(CannedStream(pieces.map { Data($0) }))
    let whole = try await client.list()
    #expect(whole.count == count && whole.last?.itemName == "Task \(count - 1) [{\"]")
    var number = 0
    for try await task in client.items() {
      if task != whole[number] { Issue.record("\(number) differs") }
      number += 1
    }
    #expect(number == count)
  }

  @Test func cutShortAnywhereItIsAnError() async throws {
    let list = Data("[\(Samples.stored),\(Samples.stored)]".utf8)
    for length in 0..<list.count {
      let error = await taskError { for try await _ in try client(CannedStream([list.prefix(length)])).items() {} }
      #expect(error?.code == .invalidResponse, "cut at \(length)")
    }
  }

  @Test func tasksComeWhileTheRestIsOnItsWay() async throws {
    let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
    let transport = CannedStream { stream }
    var iterator = try client(transport).items().makeAsyncIterator()
    continuation.yield(Data(#"[{"task":"a"},{"ta"#.utf8))
    #expect(try await iterator.next()?.itemName == "a")
    continuation.yield(Data(#"sk":"b"}"#.utf8))
    #expect(try await iterator.next()?.itemName == "b")
    continuation.yield(Data("]".utf8))
    continuation.finish()
    #expect(try await iterator.next() == nil)
  }

  @Test func leavingEarlyEndsTheTransfer() async throws {
    let (ended, end) = AsyncStream<Void>.makeStream()
    let transport = CannedStream {
      AsyncThrowingStream { continuation in
        continuation.onTermination = { _ in end.finish() }
        continuation.yield(Data(#"[{"task":"a"},"#.utf8))
      }
    }
    for try await task in try client(transport).items() {
      #expect(task.itemName == "a")
      break
    }
    // Waits for ever when the stream is held.
    for await _ in ended {}
  }

  @Test(arguments: [(TransportError.Code.timedOut, TaskAPIError.Code.timedOut), (.connectionLost, .network)])
  func transferThatBreaksIsTyped(_ thrown: TransportError.Code, _ code: TaskAPIError.Code) async throws {
    let transport = CannedStream([Data(#"[{"task":"a"},"#.utf8)], error: TransportError(thrown, "x"))
    var iterator = try client(transport).items().makeAsyncIterator()
    #expect(try await iterator.next()?.itemName == "a")
    let failed = iterator
    let error = await taskError {
      var iterator = failed
      _ = try await iterator.next()
    }
    #expect(error?.code == code)
    #expect(transport.requests.count == 1)
  }

  @Test func limitHoldsForAStreamOfAnyTransport() async throws {
    let pieces = [Data("[".utf8)] + Array(repeating: Data(#"{"task":"a"},"#.utf8), count: 100)
    let error = await taskError {
      for try await _ in try client(CannedStream(pieces), change: { $0.limits.maximumBodyBytes = 500 }).items() {}
    }
    #expect(error?.code == .tooLarge)
    let whole = await taskError {
      _ = try await client(CannedStream(pieces), change: { $0.limits.maximumBodyBytes = 500 }).list()
    }
    #expect(whole?.code == .tooLarge)
  }

  @Test func refusalThatStreamsIsReadWhole() async throws {
    let transport = CannedStream(Data(#"{"code":"MissingTask","message":"no"}"#.utf8).map { Data([$0]) }, status: 409)
    let error = await taskError { for try await _ in try client(transport).items() {} }
    #expect(error?.code == .conflict && error?.serverCode == "MissingTask")
  }

  @Test func endlessRefusalIsBounded() async throws {
    let transport = CannedStream(403) {
      AsyncThrowingStream(unfolding: { Data(repeating: 0x20, count: 1000) })
    }
    let error = await taskError {
      for try await _ in try client(transport, change: { $0.limits.maximumBodyBytes = 5000 }).items() {}
    }
    #expect(error?.code == .tooLarge)
  }

  @Test @MainActor func servesTheMainActor() async throws {
    var names: [String] = []
    for try await task in try client(CannedStream([Data(Samples.tutorialList.utf8)])).items() where task.completed {
      names.append(task.itemName)
    }
    #expect(names.count == 1)
  }

  @Test func refusalIsTyped() async throws {
    let transport = CannedTransport(.text(403, #"{"code":"NotAuthorized","message":"no"}"#))
    let error = await taskError { for try await _ in try client(transport).items() {} }
    #expect(error?.code == .forbidden && error?.serverCode == "NotAuthorized")
  }
}

extension Array {
  init(_ sequence: some AsyncSequence<Element, any Error>) async throws {
    self = []
    for try await element in sequence { append(element) }
  }
}
