#if os(Linux)
  import Foundation

  // Dictionaries have to be in the same order each time, which the runtime decides before `main`.
  if ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] == nil {
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
    execv("/proc/self/exe", &arguments)
    print("The simulator cannot start itself again: \(String(cString: strerror(errno))).")
    exit(2)
  }
  guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
    print(Options.usage)
    exit(2)
  }
  exit(try Simulation(options: options).run())
#else
  print("The simulator runs on Linux only.")
#endif
