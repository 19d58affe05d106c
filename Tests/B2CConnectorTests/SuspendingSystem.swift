import B2CConnector
import B2CCore
import Dispatch

/// A system that may suspend the app, which grants time, refuses it or takes it back, in the orders that Apple documents.
final class SuspendingSystem: ExpiringActivity {
  enum Answer: Sendable {
    case granted, refused
    /// No answer until the test gives one.
    case none
  }

  private typealias Block = @Sendable (Bool) -> Void

  private struct State: Sendable {
    var answer = Answer.granted
    var asked = 0
    var unanswered: [Block] = []
    /// The blocks of activities that last, by their numbers.
    var running: [Int: Block] = [:]
  }

  private let state = Locked(State())
  /// Runs each call on a thread that may be blocked, and two calls at the same time, as the system does.
  private let queue = DispatchQueue(label: "SuspendingSystem", attributes: .concurrent)

  /// How often the system was asked for time.
  var asked: Int { state.withLock { $0.asked } }
  /// How many activities have begun and not ended.
  var running: Int { state.withLock { $0.running.count } }

  /// Sets the answer from now on.
  func will(_ answer: Answer) { state.withLock { $0.answer = answer } }

  func perform(reason: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) {
    let answer = state.withLock { state in
      state.asked += 1
      if state.answer == .none { state.unanswered.append(block) }
      return state.answer
    }
    call(block, answer)
  }

  /// Answers the questions that have no answer yet.
  func answer(_ answer: Answer) {
    let blocks = state.withLock { state in
      defer { state.unanswered = [] }
      return state.unanswered
    }
    for block in blocks { call(block, answer) }
  }

  /// Takes the time back by second, concurrent calls.
  func expire() {
    for block in state.withLock({ Array($0.running.values) }) { block(true) }
  }

  private func call(_ block: @escaping Block, _ answer: Answer) {
    switch answer {
    case .none: break
    case .refused: queue.async { block(true) }
    case .granted:
      let number = state.withLock { state in
        let number = state.asked * 100 + state.running.count
        state.running[number] = block
        return number
      }
      queue.async { [state] in
        block(false)
        state.withLock { $0.running[number] = nil }
      }
    }
  }
}
