import B2CConnector
import Foundation

do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  if arguments.showsHelp {
    print(Arguments.help)
  } else {
    try await Program(arguments).run()
  }
} catch let error as UsageError {
  FileHandle.standardError.write(Data("quickstart: \(error)\n".utf8))
  exit(2)
} catch let error as ConnectorError where Program.fixable.contains(error.code) {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
} catch is UnhealthyError {
  exit(2)
} catch {
  FileHandle.standardError.write(Data("quickstart: \(error)\n".utf8))
  exit(1)
}
