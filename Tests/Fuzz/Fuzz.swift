import Foundation

/// Feeds generated and mutated inputs to everything that reads what others wrote.
///
/// Each input is a function of the seed and its number alone, so that one can be made again. The inputs run in child
/// processes: a trap there is counted and named here.
@main
enum Fuzz {
  static func main() {
    let arguments: Arguments
    do {
      arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    } catch {
      say("\(error)\n\n\(Arguments.usage)")
      exit(2)
    }
    switch arguments.mode {
    case .help: say(Arguments.usage)
    case .work(let range, let isTracing): Worker(arguments).run(range, isTracing: isTracing)
    case .show(let number): Worker(arguments).show(number)
    case .run: exit(Campaign(arguments).run() ? 0 : 1)
    }
  }

  static func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }
}
