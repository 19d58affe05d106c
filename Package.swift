// swift-tools-version:6.1
import PackageDescription

#if canImport(Darwin)
  let hostIsApple = true
#else
  let hostIsApple = false
#endif

// On Apple platforms, the system's CryptoKit and Security are used, so no package is resolved. Elsewhere swift-crypto,
// which is Apple's implementation of the same API, takes their place. If you cross-compile from a Mac to Linux, set
// B2C_SWIFT_CRYPTO=1, because this manifest is evaluated on the Mac.
let usesSwiftCrypto = !hostIsApple || Context.environment["B2C_SWIFT_CRYPTO"] == "1"

let cryptoPackages: [Package.Dependency] =
  usesSwiftCrypto ? [.package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0")] : []
let crypto: [Target.Dependency] = usesSwiftCrypto ? [.product(name: "Crypto", package: "swift-crypto")] : []
let cryptoExtras: [Target.Dependency] = usesSwiftCrypto ? [.product(name: "CryptoExtras", package: "swift-crypto")] : []

// App Store Connect reads this file in apps. On other platforms, SwiftPM would only add a resource bundle for it.
let privacyManifest = "PrivacyInfo.xcprivacy"

let package = Package(
  name: "B2CConnector",
  platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
  products: [
    .library(name: "B2CConnector", targets: ["B2CConnector"]),
    .library(name: "B2CSettings", targets: ["B2CSettings"]),
    .library(name: "B2CAuthority", targets: ["B2CAuthority"]),
    .library(name: "B2CTokenCache", targets: ["B2CTokenCache"]),
    .library(name: "TaskAPI", targets: ["TaskAPI"]),
    .library(name: "B2CTestKit", targets: ["B2CTestKit"]),
  ],
  dependencies: cryptoPackages,
  targets: [
    // The modules. Each of them may only depend on modules above it.
    .target(name: "B2CCore"),
    .target(name: "B2CAuthority", dependencies: ["B2CCore"]),
    .target(name: "B2CSettings", dependencies: ["B2CAuthority", "B2CCore"]),
    .target(
      name: "B2CTokenCache", dependencies: ["B2CCore"] + crypto, exclude: hostIsApple ? [] : [privacyManifest],
      resources: hostIsApple ? [.copy(privacyManifest)] : []),
    .target(name: "B2CHTTP", dependencies: ["B2CCore"]),
    .target(name: "B2CLoopback", dependencies: ["B2CCore"]),
    .target(name: "TaskAPI", dependencies: ["B2CHTTP", "B2CCore"]),
    .target(name: "B2CIDToken", dependencies: ["B2CCore"] + crypto + cryptoExtras),
    .target(name: "B2CPresenters", dependencies: ["B2CLoopback", "B2CCore"]),
    .target(name: "B2CSessions", dependencies: ["B2CTokenCache", "B2CIDToken", "B2CCore"]),
    .target(
      name: "B2COAuth",
      dependencies: [
        "B2CSessions", "B2CPresenters", "B2CIDToken", "B2CAuthority", "B2CTokenCache", "B2CHTTP", "B2CCore",
      ] + crypto),
    .target(
      name: "B2CConnector",
      dependencies: [
        "B2COAuth", "B2CSessions", "B2CPresenters", "B2CAuthority", "B2CTokenCache", "B2CHTTP", "B2CSettings",
        "TaskAPI", "B2CCore",
      ]),
    .target(
      name: "B2CTestKit",
      dependencies: [
        "B2CConnector", "B2COAuth", "B2CSessions", "B2CPresenters", "B2CIDToken", "B2CAuthority", "B2CTokenCache",
        "B2CHTTP", "B2CLoopback", "B2CSettings", "TaskAPI", "B2CCore",
      ] + crypto + cryptoExtras),

    // The code that the tests of several modules share.
    .target(
      name: "TestSupport",
      dependencies: [
        "B2CConnector", "B2CTestKit", "B2COAuth", "B2CIDToken", "B2CTokenCache", "B2CHTTP", "B2CCore",
      ] + crypto, path: "Tests/Support"),

    // The example programs and the tools for tests, none of which is part of a product.
    .executableTarget(
      name: "quickstart", dependencies: ["B2CConnector", "B2CTestKit"], path: "Docs/Examples/Quickstart"),
    .executableTarget(name: "tasks", dependencies: ["B2CConnector"], path: "Docs/Examples/Tasks"),
    .executableTarget(
      name: "local-tenant", dependencies: ["B2CConnector", "B2CTestKit"], path: "Docs/Examples/LocalTenant"),
    .executableTarget(
      name: "graph-example", dependencies: ["B2CConnector", "B2CTestKit"], path: "Docs/Examples/Graph"),
    .executableTarget(
      name: "proof",
      dependencies: [
        "B2CConnector", "B2CTestKit", "B2COAuth", "B2CSessions", "B2CPresenters", "B2CIDToken", "B2CAuthority",
        "B2CTokenCache", "B2CHTTP",
        "B2CLoopback", "B2CSettings", "TaskAPI", "B2CCore", "TestSupport",
      ], path: "Tests/Proof", exclude: ["README.md"]),
    .executableTarget(
      name: "interop", dependencies: ["B2CConnector", "B2CTestKit", "B2CLoopback", "B2CCore", "TestSupport"],
      path: "Tests/Interop/Driver"),

    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "B2CConnector", "B2CTestKit", "B2CIDToken", "B2CTokenCache", "B2CHTTP", "B2CLoopback", "TaskAPI", "B2CCore",
        "TestSupport",
      ], path: "Tests/Benchmarks", exclude: ["README.md", "allocations.c", "run"]),

    .executableTarget(
      name: "simulation",
      dependencies: [
        "B2CConnector", "B2CTestKit", "B2COAuth", "B2CSessions", "B2CPresenters", "B2CIDToken", "B2CAuthority",
        "B2CTokenCache", "B2CHTTP",
        "B2CSettings", "TaskAPI", "B2CCore",
      ], path: "Tests/Simulation",
      // The simulation replaces functions of Linux's C library, so on other platforms only `main.swift` is built.
      exclude: ["README.md", "Broken"]
        + (usesSwiftCrypto ? [] : ["Calls", "Face", "Judging", "Machine", "Scripts", "World"])),

    // The tests, with one target for each module.
    .testTarget(name: "B2CCoreTests", dependencies: ["B2CCore", "B2CTestKit", "TestSupport"]),
    .testTarget(name: "B2CAuthorityTests", dependencies: ["B2CAuthority", "B2CCore", "TestSupport"]),
    .testTarget(name: "B2CSettingsTests", dependencies: ["B2CSettings", "B2CTestKit", "B2CAuthority", "TestSupport"]),
    .testTarget(
      name: "B2CTokenCacheTests", dependencies: ["B2CTokenCache", "B2CTestKit", "B2CCore", "TestSupport"] + crypto),
    .testTarget(
      name: "B2CHTTPTests", dependencies: ["B2CHTTP", "B2CLoopback", "B2CCore", "B2CTestKit", "TestSupport"]),
    .testTarget(
      name: "B2CLoopbackTests", dependencies: ["B2CLoopback", "B2CHTTP", "B2CCore", "B2CTestKit", "TestSupport"]),
    .testTarget(name: "TaskAPITests", dependencies: ["TaskAPI", "B2CHTTP", "B2CCore", "B2CTestKit", "TestSupport"]),
    .testTarget(
      name: "B2CIDTokenTests", dependencies: ["B2CIDToken", "B2CCore", "TestSupport"] + crypto + cryptoExtras),
    .testTarget(name: "B2COAuthTests", dependencies: ["B2COAuth", "B2CTestKit", "B2CCore", "TestSupport"]),
    .testTarget(
      name: "B2CConnectorTests",
      dependencies: [
        "B2CConnector", "B2CTestKit", "B2COAuth", "B2CIDToken", "B2CHTTP", "B2CLoopback", "B2CCore", "TestSupport",
      ],
      // The tests include the example's model, which uses Observation. That is newer than the oldest systems that the
      // package supports, so the availability check is switched off for this target.
      swiftSettings: hostIsApple ? [.unsafeFlags(["-Xfrontend", "-disable-availability-checking"])] : []),
    .testTarget(
      name: "B2CTestKitTests",
      dependencies: ["B2CTestKit", "B2CConnector", "B2CIDToken", "B2CHTTP", "B2CCore", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// Feeds a corpus of inputs to the parsers of data from outside. `.ci/fuzz` links it with libFuzzer.
if Context.environment["B2C_FUZZ"] == "1" {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "B2CTestKit", "B2CSettings", "B2CAuthority", "B2COAuth", "B2CSessions", "B2CPresenters", "B2CIDToken",
        "B2CTokenCache", "B2CHTTP",
        "B2CLoopback", "TaskAPI", "B2CCore", "TestSupport",
      ] + crypto, path: "Tests/Fuzz", exclude: ["Corpus", "Dictionaries"]))
}

var ownSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
]
// `.ci/run` sets this variable, so that warnings in this package's own targets are errors. An app that uses the package
// does not set it, because SwiftPM refuses unsafe flags in dependencies.
if Context.environment["B2C_WARNINGS_AS_ERRORS"] == "1" {
  ownSettings.append(.unsafeFlags(["-warnings-as-errors"]))
}
for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + ownSettings
}
