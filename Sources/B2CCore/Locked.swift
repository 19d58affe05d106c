import Foundation

/// A value behind a lock, for state that is read and written quickly.
///
/// The lock is an `NSLock`, because `Mutex` needs newer systems than the package supports, and because the thread
/// sanitizer reports false races in it on Linux.
package final class Locked<Value: Sendable>: Sendable {
  private let lock = NSLock()
  // The compiler cannot see that `lock` protects every access to this value.
  private nonisolated(unsafe) var value: Value

  package init(_ value: Value) { self.value = value }

  /// Runs a short, synchronous body with exclusive access to the value.
  package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}

extension Locked where Value == Bool {
  /// Sets the flag, and returns whether this call was the first to set it.
  package func setOnce() -> Bool {
    withLock { flag in
      defer { flag = true }
      return !flag
    }
  }
}

/// The objects that are in use, at most one for each key, which this does not keep alive.
package final class LivingObjects<Key: Hashable & Sendable, Object: AnyObject & Sendable>: Sendable {
  private struct Entry: Sendable { weak var object: Object? }

  private let entries = Locked<[Key: Entry]>([:])

  package init() {}

  /// Returns the object of a key, or creates it if none is in use.
  package func object(for key: Key, _ make: () -> Object) -> Object {
    entries.withLock { entries in
      if let object = entries[key]?.object { return object }
      entries = entries.filter { $0.value.object != nil }
      let object = make()
      entries[key] = Entry(object: object)
      return object
    }
  }
}
