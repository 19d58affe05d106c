import B2CCore
import TestSupport
import Testing

@Suite(.hangLimit) struct LockedTests {
  @Test("No change is lost")
  func manyTasks() async {
    let counter = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          for _ in 0..<200 { counter.withLock { $0 += 1 } }
        }
      }
    }
    #expect(counter.withLock { $0 } == 10_000)
  }

  @Test("An error is passed on, and the lock is free again")
  func failure() {
    struct Thrown: Error {}
    let value = Locked(1)
    #expect(throws: Thrown.self) {
      try value.withLock { number in
        number = 2
        throw Thrown()
      }
    }
    #expect(value.withLock { $0 } == 2)
  }
}
