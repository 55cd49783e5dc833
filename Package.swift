// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: the house is built in Swift 6 language mode and a warning is an error.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let nio: [Target.Dependency] = [
    .product(name: "NIOCore", package: "swift-nio"),
    .product(name: "NIOPosix", package: "swift-nio"),
]
let tls: [Target.Dependency] = [
    .product(name: "NIOSSL", package: "swift-nio-ssl"),
    .product(name: "NIOTLS", package: "swift-nio"),
]
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let http = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")

/// A room of the house. `path` only where the folder is not `Sources/<name>`.
func room(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: strict)
}

/// The tests of one room, in `Tests/<name>Tests`.
func exam(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: strict)
}

let package = Package(
    name: "assay",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "assayd", targets: ["assayd"]),
        .executable(name: "assay", targets: ["assay"]),
        .library(name: "AssayClient", targets: ["AssayClient", "AssayAPI", "AssayCore"]),
        .library(name: "AssaySimulator", targets: ["AssaySimulator", "AssayCore"]),
        // For Fuzz/, which is a package of its own.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
        .library(name: "AssayTesting", targets: ["AssayTesting", "AssayCore"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // The words. No I/O, no room below it.
        room("AssayCore", [crypto]),

        // Bytes.
        room("AssayEncoding", ["AssayCore"]),
        room("AssayCertificates", ["AssayEncoding", "AssayCore", crypto, cryptoExtras]),

        // One room for each kind of evidence; siblings never import each other.
        room("AppAttest", path: "Sources/Verifiers/AppAttest", ["AssayCertificates", "AssayEncoding", "AssayCore", crypto]),
        room(
            "AndroidKeyAttestation", path: "Sources/Verifiers/AndroidKeyAttestation",
            ["AssayCertificates", "AssayEncoding", "AssayCore", crypto]),
        room("PlayIntegrity", path: "Sources/Verifiers/PlayIntegrity", ["AssayEncoding", "AssayCore", crypto]),
        room(
            "KeySignature", path: "Sources/Verifiers/KeySignature", ["AssayCertificates", "AssayCore", crypto, cryptoExtras]),
        room("DeviceCheck", path: "Sources/Verifiers/DeviceCheck", ["AssayCore"]),
        room("SafetyNet", path: "Sources/Verifiers/SafetyNet", ["AssayCertificates", "AssayEncoding", "AssayCore"]),

        // The wire.
        room("AssayRPC", nio + tls + [protobuf, log, lifecycle]),
        room("AssayAPI", ["AssayCore", protobuf]),
        room("AssayClient", ["AssayAPI", "AssayRPC", "AssayCore"]),

        // What remembers.
        .systemLibrary(name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        room("AssayStore", ["AssayCore", "CSQLite", crypto]),

        // What vendors say.
        room("AssayFeeds", ["AssayEncoding", "AssayCore", http, jwt, crypto, log, lifecycle] + nio + tls),

        // The pipeline, and the only place that composes.
        room("AssayService", ["AssayAPI", "AssayRPC", "AssayCore", crypto, log, lifecycle]),
        room(
            "AssayHost",
            [
                "AssayService", "AssayStore", "AssayFeeds", "AppAttest", "AndroidKeyAttestation", "KeySignature",
                "PlayIntegrity",
                "SafetyNet", "DeviceCheck", "AssayCertificates", "AssayEncoding", "AssayAPI", "AssayRPC", "AssayCore", crypto,
                arguments, log, lifecycle, yaml,
            ]),

        // The mains.
        .executableTarget(
            name: "assayd", dependencies: ["AssayHost", arguments, log, lifecycle, signals], swiftSettings: strict),
        .executableTarget(
            name: "assay",
            dependencies: [
                "AssayHost", "AssayClient", "AssaySimulator", "AssayCertificates", "AssayAPI", "AssayCore", arguments, crypto,
            ],
            swiftSettings: strict),

        // For tests, of this house and of others.
        room("AssaySimulator", ["AssayCore", crypto, cryptoExtras]),
        room(
            "AssayTesting", ["AssayCore", crypto, log, .product(name: "NIOHTTP1", package: "swift-nio")] + nio + tls),
        .target(name: "CFaultVFS", dependencies: ["CSQLite"]),
        room(
            "FuzzTargets", path: "Fuzz/Targets",
            [
                "AssayHost", "AssaySimulator", "AssayFeeds", "AppAttest", "AndroidKeyAttestation", "KeySignature",
                "PlayIntegrity", "SafetyNet", "AssayCertificates", "AssayEncoding", "AssayAPI", "AssayRPC", "AssayCore",
                protobuf,
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .executableTarget(
            name: "ledger-crash-child", dependencies: ["AssayStore", "AssayCore"], path: "Tests/ledger-crash-child",
            swiftSettings: strict),
        .executableTarget(
            name: "crash-test",
            dependencies: [
                "AssayHost", "AssayService", "AssayStore", "AssayClient", "AssaySimulator", "AssayTesting", "AssayAPI",
                "AssayCore", "CSQLite", "CFaultVFS", "assayd", arguments, log, lifecycle,
            ], path: "Tests/crash-test", swiftSettings: strict),

        exam("AssayCore", ["AssayTesting"]),
        exam("AssayEncoding", ["AssayCore"]),
        exam("AssayCertificates", ["AssayEncoding", "AssayCore", "AssaySimulator", crypto, cryptoExtras]),
        exam(
            "AppAttest", ["AssayTesting", "AssaySimulator", "AssayCertificates", "AssayEncoding", "AssayCore", crypto]),
        exam("KeySignature", ["AssaySimulator", "AssayCore"]),
        exam(
            "AndroidKeyAttestation",
            ["AssayTesting", "AssaySimulator", "AssayCertificates", "AssayEncoding", "AssayCore", crypto]),
        exam("PlayIntegrity", ["AssayTesting", "AssaySimulator", "AssayEncoding", "AssayCore", crypto]),
        exam(
            "SafetyNet",
            ["AssayTesting", "AssaySimulator", "AssayCertificates", "AssayEncoding", "AssayCore", crypto, cryptoExtras]),
        exam("AssayRPC", nio + tls + ["AssayTesting", "AssaySimulator", "AssayCore", crypto, protobuf, log, lifecycle]),
        exam("AssayAPI", ["AssayTesting", "AssayCore", protobuf]),
        exam(
            "AssayClient",
            [
                "AssayTesting", "AssaySimulator", "AssayHost", "AssayService", "AppAttest", "AssayCertificates", "AssayAPI",
                "AssayRPC", "AssayCore", crypto, log, protobuf,
            ]),
        exam("AssayStore", ["AssayTesting", "AssayCore", "CSQLite", "CFaultVFS", "ledger-crash-child"]),
        exam("AssayTesting", ["AssaySimulator", "AssayCore"]),
        exam("AssayFeeds", ["AssayTesting", "AssaySimulator", "AssayCore", crypto, jwt, log, lifecycle]),
        exam("DeviceCheck", ["AssayCore"]),
        exam(
            "AssayService",
            [
                "AssayTesting", "AssaySimulator", "AppAttest", "AndroidKeyAttestation", "KeySignature", "PlayIntegrity",
                "DeviceCheck", "AssayCertificates", "AssayAPI", "AssayRPC", "AssayCore", protobuf, crypto, log, lifecycle,
            ]),
        exam(
            "AssayHost",
            [
                "AssayTesting", "AssaySimulator", "AssayClient", "AssayService", "AssayStore", "AssayFeeds", "AppAttest",
                "AndroidKeyAttestation", "KeySignature", "PlayIntegrity", "SafetyNet", "DeviceCheck", "AssayCertificates",
                "AssayEncoding", "AssayAPI", "AssayRPC", "AssayCore", "CSQLite", "CFaultVFS", "assayd", "assay", "crash-test",
                crypto, log, lifecycle,
            ]),
        exam("AssaySimulator", ["AssayCore", crypto, cryptoExtras]),
        exam("FuzzTargets", ["AssaySimulator", "AssayTesting", "AssayCore", crypto]),
    ]
)
