import B2CCore
import B2CHTTP
import Foundation
import Testing

@Suite("Queue of requests per origin")
struct ConnectionQueueTests {
  /// What a request holds: its body, its token, its answer.
  private final class Payload: Sendable {}

  /// Whose request it is, for as long as it takes.
  private final class Caller: Sendable {}

  private struct Reference {
    weak var payload: Payload?
  }

  private func origin(_ text: String = "https://api.example.com") throws -> Origin {
    try #require(URL(string: text).flatMap(Origin.init))
  }

  @Test("A queue that never empties keeps no request that is over: 7 callers, 1,000 requests each, 6 connections")
  func releases() throws {
    let queue = ConnectionQueue(limit: 6)
    let origin = try origin()
    var references: [Reference] = []
    var underWay: [Caller] = []
    func enter() {
      let (caller, payload) = (Caller(), Payload())
      references.append(Reference(payload: payload))
      underWay.append(caller)
      queue.enter(origin, ObjectIdentifier(caller)) { withExtendedLifetime(payload) {} }
    }
    for _ in 0..<7 { enter() }
    for _ in 7..<7_000 {
      queue.leave(origin, ObjectIdentifier(underWay.removeFirst()))
      enter()
    }
    // Only a request that waits is held; those under way were started, and let go.
    #expect(references.count { $0.payload != nil } == 1)
    underWay.forEach { queue.leave(origin, ObjectIdentifier($0)) }
    #expect(references.allSatisfy { $0.payload == nil })
  }

  @Test("A request that leaves while it waits is released and never started")
  func leavesEarly() throws {
    let queue = ConnectionQueue(limit: 1)
    let origin = try origin()
    let first = Payload()
    queue.enter(origin, ObjectIdentifier(first)) {}
    var waiting: Payload? = Payload()
    let reference = Reference(payload: waiting)
    let id = try ObjectIdentifier(#require(waiting))
    queue.enter(origin, id) { [waiting] in
      withExtendedLifetime(waiting) { _ = Issue.record("started after it had left") }
    }
    waiting = nil
    #expect(reference.payload != nil)
    queue.leave(origin, id)
    #expect(reference.payload == nil)
    queue.leave(origin, ObjectIdentifier(first))
  }

  @Test("Requests start in order, as many at a time as the limit, and origins do not wait for each other")
  func order() throws {
    let queue = ConnectionQueue(limit: 2)
    let (one, other) = (try origin(), try origin("https://other.example.com"))
    let payloads = (0..<5).map { _ in Payload() }
    let started = StartLog()
    for (number, payload) in payloads.enumerated() {
      queue.enter(one, ObjectIdentifier(payload)) { started.append(number) }
    }
    queue.enter(other, ObjectIdentifier(payloads[0])) { started.append(9) }
    #expect(started.numbers == [0, 1, 9])
    queue.leave(one, ObjectIdentifier(payloads[1]))
    queue.leave(one, ObjectIdentifier(payloads[1]))
    #expect(started.numbers == [0, 1, 9, 2])
    queue.leave(one, ObjectIdentifier(payloads[3]))
    queue.leave(one, ObjectIdentifier(payloads[0]))
    #expect(started.numbers == [0, 1, 9, 2, 4])
  }
}

private final class StartLog: Sendable {
  private let log = Locked<[Int]>([])

  var numbers: [Int] { log.withLock { $0 } }

  func append(_ number: Int) { log.withLock { $0.append(number) } }
}
