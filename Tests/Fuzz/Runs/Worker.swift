import Foundation
import TestSupport

/// The child process: judges a range of inputs of one subject.
struct Worker {
  private let subject: FuzzSubject
  private let seed: UInt64

  init(_ arguments: Arguments) {
    subject = arguments.subjects[0]
    seed = arguments.seed
  }

  private func input(_ number: Int) -> [UInt8] {
    var random = SplitMix64(seed: seed, number: number)
    return subject.makeInput(&random)
  }

  /// Judges a range and writes the counts as one line of JSON.
  ///
  /// - Parameters:
  ///   - range: The numbers of the inputs.
  ///   - isTracing: Whether each number is written before its input is judged, so that the last one names a trap.
  func run(_ range: Range<Int>, isTracing: Bool) {
    var tally = Tally()
    let clock = ContinuousClock()
    for number in range {
      if isTracing { Fuzz.say("\(number)") }
      let input = input(number)
      let start = clock.now
      let verdict = subject.judge(input)
      tally.add(verdict, number: number, seconds: Self.seconds(clock.now - start))
    }
    if let line = try? JSONEncoder().encode(tally) { Fuzz.say(String(decoding: line, as: UTF8.self)) }
  }

  /// Prints one input and what came of it.
  func show(_ number: Int) {
    let input = input(number)
    Fuzz.say("\(subject.name) \(number), seed \(seed), \(input.count) bytes, base64:\n")
    Fuzz.say(Data(input).base64EncodedString() + "\n\nas text:\n\n" + String(decoding: input, as: UTF8.self) + "\n")
    Fuzz.say("\(subject.judge(input))")
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }
}
