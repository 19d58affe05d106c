import Foundation
import TestSupport

extension Row {
  static let consumerBuild = Row(
    number: "11", title: "clean debug build of a program that uses B2CConnector",
    takesMinutes: true
  ) { context in
    let plain = try ThrowawayPackage(
      context, "plain", [Program(name: "App", products: [], source: "import Foundation\nprint(Date())\n")])
    let consumer = try ThrowawayPackage(
      context, "consumer",
      [
        Program(
          name: "App", products: Program.sdk, source: "import B2CConnector\nimport Foundation\nprint(Date())\n"),
        Program(name: "CryptoAlone", products: Program.crypto, source: "print(1)\n"),
      ])
    let base = try plain.build("App")
    let crypto = try consumer.build("CryptoAlone")
    let own = try consumer.build("App")
    return [
      Measurement("build against a one-file package", own.seconds / base.seconds, "x", goal: 2.6),
      Measurement("build", own.seconds, "s"), Measurement("build, processor time", own.processor, "s"),
      Measurement("one-file package", base.seconds, "s"),
      Measurement("one-file package, processor time", base.processor, "s"),
      Measurement("swift-crypto", crypto.seconds, "s"),
    ]
  }

  static let programSize = Row(
    number: "11b", title: "size of a program that reads settings, signs in and lists tasks",
    takesMinutes: true
  ) { context in
    let package = try ThrowawayPackage(
      context, "size",
      [
        Program(name: "Plain", products: Program.crypto, source: Program.plain),
        Program(name: "App", products: Program.sdk, source: Program.lister),
      ])
    let (plain, app) = (try package.strippedSize("Plain"), try package.strippedSize("App"))
    return [
      Measurement("size above the plain program", Double(app - plain) / 1e6, "MB", goal: 2.15),
      Measurement("program", Double(app), "bytes"), Measurement("plain program", Double(plain), "bytes"),
    ]
  }
}

/// A program of one file, and the products that it depends on.
private struct Program {
  /// The package, in whose directory `Tests/Benchmarks/run` starts this program.
  static let root = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
  static let sdk = [".product(name: \"B2CConnector\", package: \"\(root.lastPathComponent)\")"]
  /// The products of swift-crypto that B2CConnector uses.
  static let crypto = ["Crypto", "CryptoExtras"].map { ".product(name: \"\($0)\", package: \"swift-crypto\")" }

  let name: String
  let products: [String]
  let source: String

  /// Uses the settings, the sign-in and the task list of the SDK.
  static let lister = """
    import B2CConnector
    import Foundation

    let file = URL(fileURLWithPath: "settings.plist")
    let connector = try Connector(settings: ConnectorSettings(contentsOf: file))
    _ = try await connector.signIn()
    print(try await connector.getTaskList().count)
    """

  /// Uses the same functions of swift-crypto as the SDK; it is built, but never run.
  static let plain = """
    import Crypto
    import CryptoExtras
    import Foundation

    #if canImport(FoundationNetworking)
      import FoundationNetworking
    #endif

    let bytes = Data(CommandLine.arguments.joined().utf8)
    let (short, medium, long) = (SHA256.hash(data: bytes), SHA384.hash(data: bytes), SHA512.hash(data: bytes))
    let key = SymmetricKey(data: bytes)
    let sealed = try AES.GCM.seal(bytes, using: key, authenticating: bytes).combined ?? bytes
    print(try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: bytes))
    let p256 = try P256.Signing.PublicKey(rawRepresentation: bytes)
    print(p256.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: bytes), for: bytes))
    let p384 = try P384.Signing.PublicKey(rawRepresentation: bytes)
    print(p384.isValidSignature(try P384.Signing.ECDSASignature(rawRepresentation: bytes), for: bytes))
    let p521 = try P521.Signing.PublicKey(rawRepresentation: bytes)
    print(p521.isValidSignature(try P521.Signing.ECDSASignature(rawRepresentation: bytes), for: bytes))
    print(try Curve25519.Signing.PublicKey(rawRepresentation: bytes).isValidSignature(bytes, for: bytes))
    let rsa = try _RSA.Signing.PublicKey(n: bytes, e: bytes)
    let signature = _RSA.Signing.RSASignature(rawRepresentation: bytes)
    for padding in [_RSA.Signing.Padding.insecurePKCS1v1_5, .PSS] {
      print(rsa.isValidSignature(signature, for: short, padding: padding))
      print(rsa.isValidSignature(signature, for: medium, padding: padding))
      print(rsa.isValidSignature(signature, for: long, padding: padding))
    }
    print(try await URLSession.shared.data(from: URL(fileURLWithPath: "/")).0.count)
    """
}

/// A package in a directory of its own, which is built from nothing.
private struct ThrowawayPackage {
  private let directory: URL

  /// Makes the package; it depends on this one and on swift-crypto if one of its programs does.
  init(_ context: Context, _ name: String, _ programs: [Program]) throws {
    directory = try context.directory("build-" + name)
    let targets = try programs.map { program in
      let sources = try context.directory("build-\(name)/Sources/\(program.name)")
      try Data(program.source.utf8).write(to: sources.appendingPathComponent("main.swift"))
      let dependencies = program.products.joined(separator: ", ")
      return ".executableTarget(name: \"\(program.name)\", dependencies: [\(dependencies)])"
    }
    let crypto = "https://github.com/apple/swift-crypto.git"
    let packages = ".package(path: \"\(Program.root.path)\"), .package(url: \"\(crypto)\", from: \"4.0.0\")"
    let manifest = """
      // swift-tools-version:6.1
      import PackageDescription
      let package = Package(
        name: "App", platforms: [.macOS(.v13)],
        dependencies: [\(programs.allSatisfy(\.products.isEmpty) ? "" : packages)],
        targets: [\(targets.joined(separator: ", "))])
      """
    try Data(manifest.utf8).write(to: directory.appendingPathComponent("Package.swift"))
    try Tool.run("swift", "package", "resolve", in: directory)
  }

  /// Builds a program for debugging, and returns the seconds and the seconds of processor time that it took.
  func build(_ program: String) throws -> (seconds: Double, processor: Double) {
    let (start, processor) = (ContinuousClock.now, Self.processorTimeOfChildren())
    try Tool.run("swift", "build", "--product", program, in: directory)
    return (start.duration(to: .now) / .seconds(1), Self.processorTimeOfChildren() - processor)
  }

  /// Builds a program for release, and returns its bytes without symbols.
  func strippedSize(_ program: String) throws -> Int {
    try Tool.run("swift", "build", "-c", "release", "--product", program, in: directory)
    let products = try Tool.run("swift", "build", "-c", "release", "--show-bin-path", in: directory)
    let stripped = directory.appendingPathComponent("\(program)-stripped")
    try Tool.run("strip", "-o", stripped.path, "\(products)/\(program)")
    return try Data(contentsOf: stripped).count
  }

  /// The processor time of all processes that have ended and that this process or one of those has started, in seconds.
  private static func processorTimeOfChildren() -> Double {
    var ticks = tms()
    times(&ticks)
    return Double(ticks.tms_cutime + ticks.tms_cstime) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }
}
