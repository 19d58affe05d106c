#if canImport(Darwin)
  internal import Darwin

  /// On Apple's systems `fsync` leaves the data in the drive's own memory; this asks the drive to write it too.
  func flushToDevice(_ descriptor: Int32) -> Int32 {
    let result = fcntl(descriptor, F_FULLFSYNC)
    // Network and some external volumes do not know the call.
    return result >= 0 ? result : fsync(descriptor)
  }
#endif
