import Foundation

Program.exemptThisMachineFromProxies()
do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  if arguments.showsHelp {
    print(Arguments.help)
  } else {
    try await Program(arguments: arguments).run()
  }
} catch {
  if !(error is UnhealthyError) { Terminal.write("quickstart: \(error)", to: .standardError) }
  exit(Program.exitCode(for: error))
}
