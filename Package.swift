// swift-tools-version:6.1
import PackageDescription

#if canImport(Darwin)
  let hostIsApple = true
#else
  let hostIsApple = false
#endif

// CryptoKit and Security ship with Apple's systems, so nothing is resolved there. Elsewhere Apple's own port stands in.
// Cross-compiling to Linux from a Mac evaluates this manifest on the Mac: set B2C_SWIFT_CRYPTO=1 there.
let usesSwiftCrypto = !hostIsApple || Context.environment["B2C_SWIFT_CRYPTO"] == "1"

let cryptoPackages: [Package.Dependency] =
  usesSwiftCrypto ? [.package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0")] : []
let crypto: [Target.Dependency] = usesSwiftCrypto ? [.product(name: "Crypto", package: "swift-crypto")] : []
let cryptoExtras: [Target.Dependency] = usesSwiftCrypto ? [.product(name: "CryptoExtras", package: "swift-crypto")] : []

// App Store Connect reads it in apps; elsewhere it would only add a bundle to the build.
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
    // The modules, in the order of the arrows: each knows only those above it.
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

    // What tests of several modules share; no product.
    .target(
      name: "TestSupport",
      dependencies: [
        "B2CConnector", "B2CTestKit", "B2COAuth", "B2CIDToken", "B2CTokenCache", "B2CHTTP", "B2CCore",
      ] + crypto, path: "Tests/Support"),

    // Programs that no product ships.
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
      name: "interop", dependencies: ["B2CConnector", "B2CTestKit", "B2CLoopback", "B2CCore"],
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
      // It takes the place of functions of Linux's C library: elsewhere `main.swift` alone is built.
      exclude: ["README.md", "Broken"]
        + (usesSwiftCrypto ? [] : ["Calls", "Face", "Judging", "Machine", "Scripts", "World"])),

    // One test target for each module.
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
      // The example's model wants Observation: these tests run on systems that are newer than the package's oldest ones.
      swiftSettings: hostIsApple ? [.unsafeFlags(["-Xfrontend", "-disable-availability-checking"])] : []),
    .testTarget(
      name: "B2CTestKitTests",
      dependencies: ["B2CTestKit", "B2CConnector", "B2CIDToken", "B2CHTTP", "B2CCore", "TestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// The parsers of outside data over a corpus of inputs. It sees internal declarations, so that a release build needs the flags
// of `.ci/fuzz`, which also links it with libFuzzer.
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
// The gate turns warnings into errors in this package's own targets only; a user's build never sees the flag.
if Context.environment["B2C_WARNINGS_AS_ERRORS"] == "1" {
  ownSettings.append(.unsafeFlags(["-warnings-as-errors"]))
}
for target in package.targets {
  target.swiftSettings = (target.swiftSettings ?? []) + ownSettings
}
