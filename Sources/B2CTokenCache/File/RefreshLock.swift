internal import B2CCore
internal import Foundation

/// A refresh lock that is held: until its body has ended, or the time of the process is over.
///
/// A lock that was given back early leaves a note in its file while the request is under way: when it started and how
/// long it may take. The next holder waits for that.
final class RefreshLock: Sendable {
  private enum State {
    case held(FileLock)
    case givenBack(RefreshTime.Request?)
    case released
  }

  private let state: Locked<State>

  init(_ lock: FileLock) {
    state = Locked(.held(lock))
  }

  /// Gives the lock back before the body has ended, with a note of the request under way.
  func giveBack(noting request: RefreshTime.Request?) {
    state.withLock { state in
      guard case .held(let lock) = state else { return }
      // Without a note others are not kept waiting; a lock that is kept gets the process killed.
      if let request { try? lock.replaceContent(with: request.note) }
      lock.release()
      state = .givenBack(request)
    }
  }

  /// Releases the lock when the body has ended.
  ///
  /// - Returns: The request whose note is in the file, if the lock was given back earlier.
  func release() -> RefreshTime.Request? {
    state.withLock { state in
      defer { state = .released }
      switch state {
      case .held(let lock): lock.release()
      case .givenBack(let request): return request
      case .released: break
      }
      return nil
    }
  }

  /// The outcome of an attempt at a refresh lock.
  enum Attempt: Sendable {
    case taken(FileLock)
    /// The lock is free, but a request that may be answered is noted in its file; how many seconds it may still take.
    case noted(TimeInterval)
  }

  /// Looks into the file of a lock that was just taken; a note whose time has passed is removed.
  static func attempt(with lock: FileLock, now: Date) throws(SystemFailure) -> Attempt {
    do throws(SystemFailure) {
      guard let bytes = try lock.content() else { return .taken(lock) }
      if let remaining = RefreshTime.Request(note: bytes)?.remaining(at: now), remaining > 0 {
        lock.release()
        return .noted(remaining)
      }
      try lock.replaceContent(with: [])
      return .taken(lock)
    } catch {
      lock.release()
      throw error
    }
  }

  /// Removes the note of a request that has ended, unless another note has taken its place, and releases the lock.
  static func removeNote(of request: RefreshTime.Request, from lock: FileLock) throws(SystemFailure) {
    defer { lock.release() }
    if try lock.content() == request.note { try lock.replaceContent(with: []) }
  }
}

extension RefreshTime.Request {
  /// The request as text in a lock file: the start in seconds since 1970, a space, the limit in seconds.
  var note: [UInt8] { Array("\(startedAt.timeIntervalSince1970) \(limit)".utf8) }

  /// No token request may take longer; a note of a longer one is damaged, and would keep everyone waiting for ever.
  private static let longest: TimeInterval = 3600

  /// Reads a note; `nil` when it is none, such as one that was cut off by a full disk.
  init?(note: [UInt8]) {
    let numbers = String(decoding: note, as: UTF8.self).split(separator: " ").compactMap { Double($0) }
    guard numbers.count == 2, numbers.allSatisfy(\.isFinite), numbers[1] <= Self.longest else { return nil }
    self.init(startedAt: Date(timeIntervalSince1970: numbers[0]), limit: numbers[1])
  }
}
