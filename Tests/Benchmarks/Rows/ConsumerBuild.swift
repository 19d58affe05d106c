import Foundation

extension Row {
  static let consumerBuild = Row(
    number: "11", title: "clean debug build of a consumer of B2CConnector, swift-crypto's own time apart",
    meaning: "how long a developer waits after adding the package"
  ) { context in
    let root = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    guard FileManager.default.fileExists(atPath: root.appendingPathComponent("Package.swift").path) else {
      throw Failure("run it in the directory of the package")
    }
    let plain = try ConsumerPackage(context, "plain", root: nil, product: nil)
    let consumer = try ConsumerPackage(context, "consumer", root: root, product: "B2CConnector")
    let base = try plain.build("App")
    guard !context.isQuick else {
      // Building swift-crypto takes minutes; that a consumer builds is the gate's own step.
      try consumer.resolve()
      return [Measurement("one-file package", base, "s")]
    }
    // What the system's crypto stands in for is built first, and not counted.
    let crypto = try consumer.build("Crypto")
    let own = try consumer.build("App")
    return [
      Measurement("build against a one-file package", own / base, "x", goal: 2.6),
      Measurement("build", own, "s"), Measurement("one-file package", base, "s"),
      Measurement("swift-crypto", crypto, "s", remark: "not on Apple's systems"),
    ]
  }
}

/// A package of one file in a directory of its own.
private struct ConsumerPackage {
  private let directory: URL

  init(_ context: Context, _ name: String, root: URL?, product: String?) throws {
    directory = try context.workspace.directory("build-" + name)
    for target in ["App", "Crypto"] {
      try FileManager.default.createDirectory(
        at: directory.appendingPathComponent("Sources/\(target)"), withIntermediateDirectories: true)
    }
    try "import Foundation\n\(product.map { "import \($0)\n" } ?? "")print(Date())\n".write(
      to: directory.appendingPathComponent("Sources/App/main.swift"), atomically: true, encoding: .utf8)
    try "print(1)\n".write(
      to: directory.appendingPathComponent("Sources/Crypto/main.swift"), atomically: true, encoding: .utf8)
    let packages = root.map {
      ".package(path: \"\($0.path)\"), .package(url: \"https://github.com/apple/swift-crypto.git\", from: \"4.0.0\")"
    }
    let own = root.flatMap { root in
      product.map { ".product(name: \"\($0)\", package: \"\(root.lastPathComponent)\")" }
    }
    let crypto = [".product(name: \"Crypto\"", ".product(name: \"CryptoExtras\""]
      .map { $0 + ", package: \"swift-crypto\")" }.joined(separator: ", ")
    try """
    // swift-tools-version:6.1
    import PackageDescription
    let package = Package(
      name: "App", platforms: [.macOS(.v13)], dependencies: [\(packages ?? "")],
      targets: [
        .executableTarget(name: "App", dependencies: [\(own ?? "")]),
        .executableTarget(name: "Crypto_", dependencies: [\(root == nil ? "" : crypto)], path: "Sources/Crypto"),
      ])
    """.write(to: directory.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
  }

  /// Builds a product and returns the seconds it took; what it depends on has been resolved before.
  func build(_ product: String) throws -> Double {
    try resolve()
    let start = ContinuousClock.now
    try swift("build", "--product", product == "Crypto" ? "Crypto_" : product)
    return start.duration(to: .now) / .seconds(1)
  }

  func resolve() throws { try swift("package", "resolve") }

  private func swift(_ arguments: String...) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift"] + arguments
    process.currentDirectoryURL = directory
    process.standardOutput = FileHandle.nullDevice
    var environment = ProcessInfo.processInfo.environment
    // A user's build does not know the gate's flag.
    environment["B2C_WARNINGS_AS_ERRORS"] = nil
    process.environment = environment
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("swift \(arguments.joined(separator: " ")) failed") }
  }
}
