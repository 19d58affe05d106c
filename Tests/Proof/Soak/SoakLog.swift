import B2CConnector
import B2CCore
import Foundation

/// What a worker writes for its parent: a line for each error and each sample, and the counts at the end.
final class SoakLog: Sendable {
  /// How a call failed.
  struct Failure: Sendable {
    let time: Double
    let call: String
    let code: String
    let text: String
  }

  /// What one process had in use at a time.
  struct Sample: Sendable {
    let time: Double
    let memory: Int
    let files: Int
  }

  private let file: FileHandle
  private let counts = Locked<[String: Int]>([:])

  init(file url: URL) throws {
    _ = FileManager.default.createFile(atPath: url.path, contents: nil)
    file = try FileHandle(forWritingTo: url)
  }

  /// Makes a call and counts it, or writes down how it failed.
  @discardableResult
  func count(_ call: String, _ body: @Sendable () async throws -> Void) async -> Bool {
    let code: String
    let text: String
    do {
      try await body()
      counts.withLock { $0[call, default: 0] += 1 }
      return true
    } catch let error as ConnectorError {
      (code, text) = (error.code.rawValue, "\(error)")
    } catch let error as SoakStatus {
      (code, text) = ("status \(error.status)", "")
    } catch {
      (code, text) = ("untyped", "\(error)")
    }
    write(["E", "\(Date().timeIntervalSince1970)", call, code, text.replacingOccurrences(of: "\t", with: " ")])
    return false
  }

  func sample(memory: Int, files: Int) {
    write(["S", "\(Date().timeIntervalSince1970)", "\(memory)", "\(files)"])
  }

  /// Writes the counts of calls that returned.
  func finish() {
    for (call, count) in counts.withLock({ $0 }).sorted(by: { $0.key < $1.key }) { write(["C", call, "\(count)"]) }
  }

  private func write(_ fields: [String]) {
    let line = fields.joined(separator: "\t").replacingOccurrences(of: "\n", with: " ")
    // A line at a time, from whichever task.
    counts.withLock { _ in try? file.write(contentsOf: Data((line + "\n").utf8)) }
  }
}

extension SoakLog {
  /// What the logs of all processes say.
  struct Content: Sendable {
    var failures: [Failure] = []
    var samples: [[Sample]] = []
    var counts: [String: Int] = [:]

    /// Reads a log and adds it.
    mutating func add(_ url: URL) throws {
      var own: [Sample] = []
      for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        switch fields[0] {
        case "E" where fields.count == 5:
          failures.append(Failure(time: Double(fields[1]) ?? 0, call: fields[2], code: fields[3], text: fields[4]))
        case "S" where fields.count == 4:
          own.append(Sample(time: Double(fields[1]) ?? 0, memory: Int(fields[2]) ?? 0, files: Int(fields[3]) ?? 0))
        case "C" where fields.count == 3: counts[fields[1], default: 0] += Int(fields[2]) ?? 0
        default: throw ProofError("a line of a log cannot be read: \(line)")
        }
      }
      samples.append(own)
    }
  }
}
