import Foundation
import TestSupport

/// Lets storage fail in every way that can be arranged and looks whether anything was lost.
struct StorageFaultsProof: ProofCommand {
  static let name = "storage-faults"
  static let summary = "full, read-only, forbidden, planted, damaged: a typed error each, nothing lost"

  static func run(_ options: ProofOptions) async throws -> Bool {
    var table = Table("fault", "promise", "")
    var broken: [String] = []
    for fault in StorageFault.all where !(options.isQuick && fault.needsRoot) {
      let result = try play(fault, options)
      table.add(fault.name, fault.promise, result.word)
      if case .broken(let reason) = result { broken.append("\(fault.name): \(reason)") }
    }
    table.show()
    for line in broken { print("BROKEN  \(line)") }
    return broken.isEmpty
  }

  private enum Result {
    case kept, notRun(String)
    case broken(String)

    var word: String {
      switch self {
      case .kept: "kept"
      case .notRun(let reason): "not run: \(reason)"
      case .broken: "BROKEN"
      }
    }
  }

  private static func play(_ fault: StorageFault, _ options: ProofOptions) throws -> Result {
    let ground = try ProofFolder("fault")
    defer { ground.remove() }
    var isMounted = false
    if case .device(let mountOptions) = fault.ground {
      guard Privileges.isRoot else { return .notRun("needs the superuser, to mount a device") }
      guard Privileges.mount(ground.url.path, mountOptions) else { return .notRun("devices cannot be mounted here") }
      isMounted = true
    } else {
      try Privileges.give(ground.url.path)
    }
    defer { if isMounted { Privileges.unmount(ground.url.path) } }
    let child = try ChildProcess(
      StorageFaultScene.self,
      [fault.name, ground.url.appendingPathComponent("cache").path] + (options.isBroken ? ["--broken"] : []))
    let text = child.readToEnd().trimmingCharacters(in: .whitespacesAndNewlines)
    switch child.ending {
    case 0: return .kept
    case 1: return .broken(text)
    default: return .broken("the process ended with \(child.ending). \(text)")
    }
  }
}
