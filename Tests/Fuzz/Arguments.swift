import Foundation

/// What the command line asks for.
struct Arguments {
  enum Mode {
    case run
    case show(Int)
    case work(Range<Int>, isTracing: Bool)
    case help
  }

  struct Mistake: Error, CustomStringConvertible {
    var description: String
  }

  static let usage = """
    usage: swift run -c release fuzz [SUBJECT …] [--count N] [--seed N] [--show NUMBER]

      SUBJECT        what to feed: \(FuzzSubject.all.map(\.name).joined(separator: ", ")); all of them without any
      --count N      inputs for each subject (default 1000000)
      --seed N       the seed all inputs are made from (default 1)
      --show NUMBER  print one input of one subject and what came of it, instead of running all

    Exit code 0: no trap, and nothing broken. Exit code 1: the table says what. Exit code 2: the command line is wrong.
    """

  var subjects: [FuzzSubject] = []
  var count = 1_000_000
  var seed: UInt64 = 1
  var mode = Mode.run

  init(_ words: [String]) throws {
    var words = words[...]
    while let word = words.popFirst() {
      switch word {
      case "--count": count = try Self.number(&words, of: word)
      case "--seed": seed = UInt64(try Self.number(&words, of: word))
      case "--show": mode = .show(try Self.number(&words, of: word))
      case "--work":
        let first = try Self.number(&words, of: word)
        mode = .work(first..<max(first, try Self.number(&words, of: word)), isTracing: false)
      case "--trace":
        if case .work(let range, _) = mode { mode = .work(range, isTracing: true) }
      case "--help", "-h": mode = .help
      default:
        guard let subject = FuzzSubject.all.first(where: { $0.name == word }) else {
          throw Mistake(description: "There is no subject or option \(word).")
        }
        subjects.append(subject)
      }
    }
    if subjects.isEmpty { subjects = FuzzSubject.all }
    if case .show = mode, subjects.count != 1 { throw Mistake(description: "--show needs one subject.") }
  }

  private static func number(_ words: inout ArraySlice<String>, of option: String) throws -> Int {
    guard let word = words.popFirst(), let number = Int(word), number >= 0 else {
      throw Mistake(description: "\(option) needs a number.")
    }
    return number
  }
}
