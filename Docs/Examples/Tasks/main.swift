// A to-do list on the command line: one connector, tokens in a private file, a sign-in in the user's browser.

import B2CConnector
import Foundation

let help = """
  Keeps your tasks at the web API that settings.plist names.

  Usage: tasks [--settings FILE] [--rest] [--json] COMMAND

    login            sign in, in the browser
    list             show your tasks, with numbers
    add TITLE        add a task
    done NUMBER      complete a task of the list, if the API can change tasks
    rm NUMBER        delete a task of the list
    whoami           show who is signed in, without opening a page
    logout           remove the tokens
    doctor           check settings, metadata and keys, and say what to fix (exit code 1 if no one can sign in)

    --settings FILE  the settings, by default settings.plist in the current directory
    --rest           for an API that has one URL for each task, unlike that of Microsoft's tutorial
    --json           print JSON

  Exit codes: 0 done, 1 failed, 2 the arguments or the settings must be fixed, 3 no user is signed in.
  """

/// Why the program ends without having done what was asked, with its exit code.
struct Failure: Error {
  let message: String
  let code: Int32
}

/// What the command line says.
struct Arguments {
  var settings = "settings.plist"
  var isRest = false
  var printsJSON = false
  var command = "--help"
  var operand: String?

  init(_ words: [String]) throws {
    var words = words[...]
    var operands: [String] = []
    while let word = words.popFirst() {
      switch word {
      case "--settings":
        guard let file = words.popFirst() else {
          throw Failure(message: "--settings needs a file. --help shows the options.", code: 2)
        }
        settings = file
      case "--rest": isRest = true
      case "--json": printsJSON = true
      case "--help", "-h": return
      case _ where word.hasPrefix("--"):
        throw Failure(message: "There is no option \(word). --help shows the options.", code: 2)
      default: operands.append(word)
      }
    }
    guard let command = operands.first else {
      throw Failure(message: "A command is missing. --help shows the commands.", code: 2)
    }
    let needsOperand = ["add", "done", "rm"].contains(command)
    guard operands.count == (needsOperand ? 2 : 1) else {
      throw Failure(
        message: "\(command) needs \(needsOperand ? "one argument" : "no argument"). --help shows the commands.",
        code: 2)
    }
    self.command = command
    operand = operands.dropFirst().first
  }
}

/// The commands.
struct Tasks {
  let arguments: Arguments

  func run() async throws {
    let file = URL(fileURLWithPath: arguments.settings)
    if arguments.command == "doctor" {
      let diagnosis = try await Connector.diagnose(
        settings: try ConnectorSettings(contentsOf: file), environment: environment())
      let findings = diagnosis.findings.map { found -> JSONValue in
        ["check": .string(found.check), "outcome": .string(found.outcome.rawValue), "detail": .string(found.detail)]
      }
      show(
        "\(file.path)\n\(diagnosis)",
        ["file": .string(file.path), "healthy": .bool(diagnosis.isHealthy), "findings": .array(findings)])
      guard diagnosis.isHealthy else {
        throw Failure(message: "No one can sign in until the failed checks are fixed.", code: 1)
      }
      return
    }
    let connector = try Connector(
      settings: try ConnectorSettings(contentsOf: file), environment: try environment()
    ) { if arguments.isRest { $0.taskDialect = .rest } }
    switch arguments.command {
    case "login":
      let user = try await connector.signIn().user
      show("Signed in as \(user).", json(user))
    case "whoami":
      switch try await connector.session {
      case .signedIn(let user): show("\(user)", json(user))
      case .expired(let user): throw Failure(message: "\(user) must sign in again. Run tasks login.", code: 3)
      case .signedOut: signInFirst(nil)
      }
    case "list":
      let tasks = try await connector.getTaskList()
      let lines = tasks.enumerated().map { "\($0 + 1)  [\($1.completed ? "x" : " ")]  \($1.itemName.printable)" }
      show(lines.isEmpty ? "No tasks." : lines.joined(separator: "\n"), .array(tasks.map(json)))
    case "add":
      let task = try await connector.addTask(TaskItem(itemName: arguments.operand ?? ""))
      show("Added \(task.itemName.printable).", json(task))
    case "done":
      var task = try await chosen(connector)
      task.completed = true
      show("Completed \(task.itemName.printable).", json(try await connector.updateTask(task)))
    case "rm":
      let task = try await chosen(connector)
      try await connector.deleteTask(task)
      // The tutorial's server deletes by title.
      show("Deleted \(arguments.isRest ? "" : "every task named ")\(task.itemName.printable).", json(task))
    case "logout":
      try await connector.signOut()
      show("Signed out.", ["signedOut": true])
    default: throw Failure(message: "There is no command \(arguments.command). --help shows the commands.", code: 2)
    }
  }

  /// On macOS too, where the defaults (a window, the keychain) are for apps.
  private func environment() throws -> Connector.Environment {
    var environment = Connector.Environment()
    environment.presenter = LoopbackPresenter()
    environment.cache = try .files()
    return environment
  }

  /// The task of a number in the list.
  private func chosen(_ connector: Connector) async throws -> TaskItem {
    let tasks = try await connector.getTaskList()
    guard let number = arguments.operand.flatMap({ Int($0) }), tasks.indices.contains(number - 1) else {
      throw Failure(message: "There is no task \(arguments.operand ?? ""). tasks list shows the numbers.", code: 2)
    }
    return tasks[number - 1]
  }

  private func show(_ text: String, _ value: JSONValue) { print(arguments.printsJSON ? "\(value)" : text) }

  private func json(_ user: UserInfo) -> JSONValue {
    ["id": .string(user.id), "name": .string(user.name ?? ""), "username": .string(user.username ?? "")]
  }

  private func json(_ task: TaskItem) -> JSONValue {
    ["id": .string(task.serverID ?? ""), "title": .string(task.itemName), "completed": .bool(task.completed)]
  }
}

extension String {
  /// One line that neither moves the cursor nor turns the reading direction: a title is what a server says it is.
  var printable: String {
    let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
    return String(
      String.UnicodeScalarView(unicodeScalars.map { hidden.contains($0.properties.generalCategory) ? " " : $0 }))
  }
}

/// Says on standard error why the program ends, and ends it.
func fail(_ text: String, _ code: Int32) -> Never {
  try? FileHandle.standardError.write(contentsOf: Data("tasks: \(text)\n".utf8))
  exit(code)
}

/// Says what to do where no call works without a sign-in, after what the server has said about it.
func signInFirst(_ said: String?) -> Never {
  let reason = said.map { "tasks: the server says: \($0.printable)\n" } ?? ""
  try? FileHandle.standardError.write(contentsOf: Data("\(reason)Sign in first: tasks login\n".utf8))
  exit(3)
}

/// Adds this machine to `no_proxy` of this process, because a proxy cannot reach a task server that runs here.
func exemptThisMachineFromProxies() {
  let environment = ProcessInfo.processInfo.environment
  let exempt = ["no_proxy", "NO_PROXY"].compactMap { environment[$0] }.first { !$0.isEmpty }
  guard exempt != "*" else { return }
  setenv("no_proxy", (exempt.map { $0 + "," } ?? "") + "localhost,127.0.0.1,::1", 1)
}

exemptThisMachineFromProxies()
do {
  let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
  if arguments.command == "--help" { print(help) } else { try await Tasks(arguments: arguments).run() }
} catch let error as Failure {
  fail(error.message, error.code)
} catch ErrorCode.userClosedBrowser, ErrorCode.userCancelledInPage {
  // The user's own choice: there is nothing to say.
  exit(1)
} catch let error as ConnectorError where error.needsInteraction {
  signInFirst(error.serverDescription)
} catch let error as ConnectorError {
  let fixable: Set<ErrorCode> = [.settings, .configuration, .unsupportedRedirectURI]
  fail("\(error)", fixable.contains(error.code) ? 2 : 1)
} catch {
  fail("\(error)", 1)
}
