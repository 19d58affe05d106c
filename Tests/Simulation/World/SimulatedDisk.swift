import B2CTokenCache
import Glibc

/// A disk in memory that knows what has been flushed: files, names, locks.
///
/// A killed process loses its descriptors and locks only. When the device loses power, what was not flushed is kept, lost
/// or torn as the draw has it.
final class SimulatedDisk: @unchecked Sendable {
  final class File {
    let number: UInt64
    let isDirectory: Bool
    var bytes: [UInt8] = []
    var flushed: [UInt8] = []
    var changedAt: UInt64 = 0
    var lock: Int32?

    init(_ number: UInt64, isDirectory: Bool) {
      self.number = number
      self.isDirectory = isDirectory
    }
  }

  struct Descriptor {
    let file: File
    let owner: AppProcess?
  }

  var trouble = StoreTrouble()
  var files: [String: File] = [:]
  /// The names that are on the device.
  var flushedNames: [String: File] = [:]
  var descriptors: [Int32: Descriptor] = [:]
  private var nextFile: UInt64 = 2
  private var nextDescriptor: Int32 = 3

  init() {
    for path in ["/", "/data"] {
      files[path] = makeFile(isDirectory: true)
      flushedNames[path] = files[path]
    }
  }

  func makeFile(isDirectory: Bool) -> File {
    nextFile += 1
    let file = File(nextFile, isDirectory: isDirectory)
    file.changedAt = machine.wallClock
    return file
  }

  func open(_ file: File, _ owner: AppProcess?) -> Int32 {
    nextDescriptor += 1
    descriptors[nextDescriptor] = Descriptor(file: file, owner: owner)
    return nextDescriptor
  }

  func close(_ descriptor: Int32) {
    guard let open = descriptors.removeValue(forKey: descriptor) else { return }
    if open.file.lock == descriptor { open.file.lock = nil }
  }

  /// The system closes what a dead process had open.
  func release(_ process: AppProcess) {
    for (descriptor, open) in descriptors where open.owner === process { close(descriptor) }
  }

  /// What is left when the device loses power.
  func losePower() {
    for descriptor in descriptors.keys.sorted() { close(descriptor) }
    var kept = flushedNames
    for path in Set(files.keys).union(flushedNames.keys).sorted() where files[path] !== flushedNames[path] {
      if machine.draw.happens(500) { kept[path] = files[path] }
    }
    files = kept
    flushedNames = kept
    for path in files.keys.sorted() {
      guard let file = files[path], file.bytes != file.flushed else { continue }
      let count = max(file.bytes.count, file.flushed.count)
      file.bytes = Array(file.bytes.prefix(machine.draw.below(count + 1)))
      file.flushed = file.bytes
    }
  }

  /// A copy that can be looked at without a trace; of what is flushed, where only the device counts.
  func copy(onDevice: Bool = false) -> SimulatedDisk {
    let other = SimulatedDisk()
    other.files = (onDevice ? flushedNames : files).mapValues { file in
      let copy = File(file.number, isDirectory: file.isDirectory)
      copy.bytes = onDevice ? file.flushed : file.bytes
      copy.changedAt = file.changedAt
      return copy
    }
    other.flushedNames = other.files
    other.nextFile = nextFile
    return other
  }
}
