#if !canImport(Darwin)
  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Android)
    internal import Android
  #endif

  func flushToDevice(_ descriptor: Int32) -> Int32 {
    fsync(descriptor)
  }
#endif
