// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: Swift 6 language mode, and a warning is an error.
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
let http2: [Target.Dependency] = [
    .product(name: "NIOHTTP1", package: "swift-nio"),
    .product(name: "NIOHTTP2", package: "swift-nio-http2"),
    .product(name: "NIOHPACK", package: "swift-nio-http2"),
]
let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let signals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let http = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let metrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let httpServer = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let histogram = Target.Dependency.product(name: "Histogram", package: "hdrhistogram-swift")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")

/// The modules that work on each byte. In a tree that is built once, to be tested (`ONCE`, see dev/build.sh), they are optimised: unoptimised they
/// take a third of the tests' time, much more than optimising them. All checks at run time stay, assertions too.
let optimised: Set<String> =
    (Context.environment["ONCE"] ?? "").isEmpty
    ? []
    : [
        "AssayCore", "AssayEncoding", "AssayProtobuf", "AssayCompression", "AssayCertificates", "AssaySigning", "AssaySchemes",
    ]

/// A library target. `path` only where the folder is not `Sources/<name>`.
func module(_ name: String, path: String? = nil, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path,
        swiftSettings: strict + (optimised.contains(name) ? [.unsafeFlags(["-O", "-assert-config", "Debug"])] : []))
}

/// The modules of the platforms. Each has one folder, `Sources/Verifiers/<name>`, and one line in the list of schemes.
let schemes: [Target.Dependency] = [
    "AppAttest", "AndroidKeyAttestation", "PlayIntegrity", "KeySignature", "DeviceCheck", "SafetyNet",
    "CertificateBundle",
]

/// The module of a platform, in `Sources/Verifiers/<name>`.
func scheme(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    module(
        name, path: "Sources/Verifiers/" + name,
        ["AssaySchemes", "AssayVendors", "AssayCertificates", "AssayEncoding", "AssayFiles", "AssayCore", log] + dependencies)
}

/// The tests of one module, in `Tests/<name>Tests`.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "assay",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "assayd", targets: ["assayd"]),
        .executable(name: "assay", targets: ["assay"]),
        .library(name: "AssayClient", targets: ["AssayClient", "AssayAPI", "AssayCore"]),
        .library(name: "AssaySimulator", targets: ["AssaySimulator", "AssayEncoding", "AssayCore"]),
        // For Fuzz/, which is a package of its own.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
        .library(name: "AssayTesting", targets: ["AssayTesting", "AssayCore"]),
        // For plugins in Swift. It is also a package of its own, plugins/sdk/swift.
        .library(name: "AssayPlugin", targets: ["AssayPlugin"]),
        // The ledger on PostgreSQL. It loads libpq when it is used.
        .library(name: "AssayPostgres", targets: ["AssayPostgres"]),
    ],
    dependencies: [
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", .upToNextMinor(from: "0.2.0")),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // Values, strict JSON, the promises of a ledger, threads for work that blocks. No I/O, no dependency on another module.
        module("AssayCore", [crypto]),

        // Families of metrics, and their text formats.
        module("AssayMetrics", [metrics]),

        // Trace contexts, and the spans of calls.
        module("AssayTracing", ["AssayMetrics"]),

        // Files with secrets, and files that are made whole.
        module("AssayFiles", ["AssayCore"]),

        // Bytes.
        module("AssayEncoding", ["AssayCore"]),
        module("AssayCertificates", ["AssayEncoding", "AssayCore", crypto, cryptoExtras]),

        // CAs: their certificates, certificates of devices, revocation lists.
        module(
            "AssayProvisioning",
            [
                "AssaySigning", "AssayCertificates", "AssayEncoding", "AssayFiles", "AssayCore", x509, asn1, crypto,
            ]),

        // What a platform is to the rest: its section of the configuration, its inspection, how its vectors run.
        module(
            "AssaySchemes",
            ["AssayVendors", "AssayCertificates", "AssayEncoding", "AssayFiles", "AssayCore", crypto, log, yaml]),

        // One module for each platform; siblings never import each other.
        scheme("AppAttest", [crypto]),
        scheme("AndroidKeyAttestation", [crypto]),
        scheme("PlayIntegrity", [crypto]),
        scheme("KeySignature", [crypto, cryptoExtras]),
        scheme("DeviceCheck", []),
        scheme("SafetyNet", []),
        scheme("CertificateBundle", [crypto]),

        // The wire format of protobuf, for what is read and written without generated messages.
        module("AssayProtobuf", []),

        // Calls, whatever transport carries them; what listens, in any protocol; then one module for each transport.
        module("AssayRPC", [protobuf, log, lifecycle]),
        module("AssayListening", ["AssayRPC", "AssayCore"] + nio + tls + [log]),
        module("AssayFramedRPC", ["AssayListening", "AssayRPC", "AssayProtobuf"] + nio + tls + [protobuf, log]),
        module("AssayAPI", ["AssayProtobuf", "AssayCore", crypto, protobuf]),
        // Bytes deflated and inflated by the system's zlib.
        .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        module("AssayCompression", ["CZlib"]),
        // gRPC, gRPC-Web and Connect over HTTP/1.1 and HTTP/2.
        module(
            "AssayHTTP",
            ["AssayListening", "AssayRPC", "AssayAPI", "AssayProtobuf", "AssayCompression", "AssayCore"] + nio + tls + http2
                + [crypto, protobuf, log]
        ),
        // The client's side of Connect and gRPC over HTTP.
        module(
            "AssayHTTPClient",
            ["AssayListening", "AssayRPC", "AssayProtobuf", "AssayCore", http] + nio + tls + http2 + [protobuf]),
        module(
            "AssayClient",
            [
                "AssayTracing", "AssayAPI", "AssayHTTPClient", "AssayFramedRPC", "AssayListening", "AssayRPC", "AssayFiles",
                "AssayCore",
            ]),

        // The ledger: what its backends share, then one module for each.
        module("AssayLedger", ["AssayMetrics", "AssayCore"]),
        .systemLibrary(name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        module("AssaySQLite", ["AssayLedger", "AssayMetrics", "AssayCore", "CSQLite", crypto]),
        // libpq's functions, which are loaded at run time.
        .target(name: "CPostgres"),
        module("AssayPostgres", ["AssayLedger", "AssayMetrics", "AssayCore", "CPostgres"]),

        // Keys in PKCS#11 tokens. The module of the token's maker is loaded at run time.
        .target(name: "CPKCS11"),
        module("AssayPKCS11", ["AssayFiles", "AssayCore", "CPKCS11", crypto]),

        // Private keys that sign, in files and in tokens.
        module("AssaySigning", ["AssayPKCS11", "AssayEncoding", "AssayFiles", "AssayCore", crypto, cryptoExtras]),

        // Signed results: their shapes, keys as JWKs, the reader of tokens.
        module(
            "AssayResults",
            ["AssaySigning", "AssayCertificates", "AssayCompression", "AssayEncoding", "AssayCore", crypto]),

        // Verifiers outside of the process: their processes, the conversation with them.
        .target(name: "CPluginProcess"),
        module(
            "AssayPlugins",
            [
                "AssayAPI", "AssayRPC", "AssayFramedRPC", "AssayProtobuf", "AssayFiles", "AssayCore", "CPluginProcess", crypto,
                protobuf, log,
            ]),

        // The other side: the library for plugins in Swift, and plugins. Each of the folders is also a package of its own.
        module("AssayPlugin", path: "plugins/sdk/swift/Sources/AssayPlugin", [protobuf]),
        // Without pkg-config, which would warn of libssl-dev where only the daemon is built.
        .systemLibrary(name: "CLibcrypto", path: "plugins/template-swift/Sources/CLibcrypto"),
        .executableTarget(
            name: "example-hmac", dependencies: ["AssayPlugin", "CLibcrypto"],
            path: "plugins/template-swift/Sources/example-hmac", swiftSettings: strict),
        .executableTarget(
            name: "capture-package", dependencies: ["AssayPlugin", "CLibcrypto"],
            path: "plugins/capture-package/Sources/capture-package", swiftSettings: strict),
        .executableTarget(
            name: "plugin-specimen", dependencies: ["AssayPlugin"], path: "plugins/sdk/swift/Tests/specimen",
            swiftSettings: strict),

        // Vendors over HTTPS.
        module(
            "AssayVendors",
            ["AssayListening", "AssayTracing", "AssayMetrics", "AssayCore", http, jwt, crypto, log, lifecycle] + nio
                + tls),

        // Spans over OTLP/HTTP: the messages of OTLP, and the exporter.
        module("AssayOTLP", [protobuf]),
        module(
            "AssayTraceExport",
            [
                "AssayOTLP", "AssayTracing", "AssayVendors", "AssayMetrics", "AssayCore", http, protobuf, log, lifecycle,
            ] + nio + tls),

        // The pipeline and the methods.
        module(
            "AssayService",
            [
                "AssayResults", "AssaySigning", "AssayTracing", "AssayMetrics", "AssayAPI", "AssayRPC", "AssayCore", crypto,
                log,
                lifecycle,
            ]),

        // The operations address: probes, metrics and status over HTTP.
        module(
            "AssayOperations",
            nio + tls + [
                "AssayMetrics", "AssayListening", "AssayRPC", httpServer, log, lifecycle,
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),

        // The configuration and the tools that need no server; then the composition of the daemon.
        module(
            "AssayConfiguration",
            schemes + [
                "AssayTraceExport", "AssayTracing", "AssaySchemes", "AssayPlugins", "AssayProvisioning", "AssayResults",
                "AssaySigning",
                "AssayPostgres", "AssaySQLite", "AssayVendors", "AssayCertificates",
                "AssayCompression", "AssayEncoding", "AssayFiles", "AssayAPI", "AssayHTTP", "AssayFramedRPC", "AssayListening",
                "AssayRPC", "AssayCore",
                crypto, log,
            ]),
        module("AssayAudit", ["AssayCore", arguments]),

        // The apps of a configuration as the pipeline judges them, and trials of their policies: for the daemon and for the command line.
        module(
            "AssayApps",
            [
                "AssayConfiguration", "AssaySchemes", "AssayPlugins", "AssayService", "AssayResults", "AssaySQLite",
                "AssayVendors", "AssayCertificates", "AssayFiles", "AssayCore", log,
            ]),

        // What `assay top` shows, computed from samples of the metrics.
        module("AssayTop", ["AssayAPI"]),
        // What `assay doctor` says of an installation, by facts that the command collects.
        module("AssayDoctor", ["AssayTop", "AssayAPI", "AssayCore"]),
        // What `assay bench` sends, and what it measures.
        module("AssayLoad", ["AssaySimulator", "AssayClient", "AssayAPI", "AssayCore", histogram]),
        // What `assay init` writes, by its answers; and who signs an app, by its package or keystore.
        module("AssayInstallation", ["AssayCertificates", "AssayCompression", "AssayEncoding", "AssayCore", crypto]),
        module("AssayCommandLine", ["AssayCore", arguments]),
        module(
            "AssayDaemon",
            schemes + [
                "AssayOperations", "AssayTraceExport", "AssayTracing", "AssayMetrics", "AssayProvisioning", "AssayResults",
                "AssaySigning",
                "AssayApps", "AssayConfiguration", "AssaySchemes", "AssayPlugins",
                "AssayService", "AssayPostgres", "AssaySQLite", "AssayLedger", "AssayVendors", "AssayCertificates",
                "AssayEncoding",
                "AssayFiles",
                "AssayAPI", "AssayHTTP", "AssayFramedRPC", "AssayListening", "AssayRPC", "AssayCore",
                crypto,
                log, lifecycle,
            ]),

        // The mains.
        .executableTarget(
            name: "assayd",
            dependencies: [
                "AssayDaemon", "AssayConfiguration", "AssaySchemes", "AssayPlugins", "AssayLedger", "AssaySQLite", "AssayAudit",
                "AssayCommandLine", "AssayMetrics", "AssayEvidenceCases", "AssayVirtualDevices", "AssaySimulator",
                "AssayProvisioning",
                "AssayClient", "AssayFiles", "AssayAPI", "AssayRPC", "AssayCore", arguments, log, lifecycle, signals, metrics,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "assay",
            dependencies: [
                "AssayInstallation", "AssayDoctor", "AssayTop", "AssayLoad", "AssayApps", "AssayConfiguration", "AssaySchemes",
                "AssayPlugins", "AssayAudit",
                "AssayCommandLine",
                "AssayClient", "AssayVirtualDevices", "AssaySimulator", "AssayVendors", "AssayProvisioning", "AssayResults",
                "AssaySigning",
                "AssayCertificates", "AssayEncoding", "AssayFiles",
                "AssayAPI", "AssayRPC",
                "AssayCore", arguments,
                crypto, log,
            ] + schemes,
            swiftSettings: strict),

        // For tests, of this package and of others.
        module("AssaySimulator", ["AssayEncoding", "AssayCore", crypto, cryptoExtras]),
        // The folders of virtual devices, for the mains.
        module(
            "AssayVirtualDevices", ["AssaySimulator", "AssayCommandLine", "AssayEncoding", "AssayCore", crypto]),
        // The evidence of virtual devices for every case, for tests of callers.
        module("AssayEvidenceCases", ["AssaySimulator", "AssayClient", "AssayEncoding", "AssayAPI", "AssayCore"]),
        module("AssayTesting", ["AssayCore", http, crypto, log] + nio + tls + http2),
        .target(name: "CFaultVFS", dependencies: ["CSQLite"]),
        .target(name: "FakePKCS11", dependencies: ["CPKCS11"], path: "Tests/FakePKCS11"),
        module(
            "FuzzTargets", path: "Fuzz/Targets",
            [
                "AssayInstallation", "AssayConfiguration", "AssaySchemes", "AssaySimulator", "AssayProvisioning",
                "AssayResults", "AssaySigning",
                "AssayVendors", "AssayCertificates", "AssayCompression",
                "AssayEncoding", "AssayAPI", "AssayHTTP", "AssayFramedRPC", "AssayRPC", "AssayCore", protobuf,
                .product(name: "NIOCore", package: "swift-nio"),
            ] + schemes),
        .executableTarget(
            name: "ledger-crash-child", dependencies: ["AssaySQLite", "AssayCore"], path: "Tests/ledger-crash-child",
            swiftSettings: strict),
        .executableTarget(
            name: "crash-test",
            dependencies: [
                "AssayDaemon", "AssayConfiguration", "AssaySchemes", "AssayService", "AssaySQLite", "AssayClient",
                "AssaySimulator", "AssayTesting", "AssayProvisioning", "AssayCertificates", "AssayAPI", "AssayCore", "CSQLite",
                "CFaultVFS", "assayd", protobuf, arguments, log, lifecycle,
            ], path: "Tests/crash-test", swiftSettings: strict),

        // AssayClient under the conformance suite of all clients (clients/conformance).
        .executableTarget(
            name: "client-conformance-driver", dependencies: ["AssayClient", "AssayAPI", "AssayCore", protobuf],
            path: "clients/swift/Sources/client-conformance-driver", swiftSettings: strict),

        tests("AssayCore", ["AssayTesting"]),
        tests("AssayMetrics", [metrics]),
        tests("AssayTracing", ["AssayMetrics"]),
        tests("AssayTop", ["AssayAPI"]),
        tests("AssayDoctor", ["AssayTop", "AssayService", "AssayAPI", "AssayCore"]),
        tests("AssayLoad", ["AssayCore"]),
        tests(
            "AssayInstallation",
            ["AssayConfiguration", "AssaySchemes", "AssayCompression", "AssayEncoding", "AssayCore"]),
        tests(
            "AssayTraceExport",
            [
                "AssayOTLP", "AssayTracing", "AssayVendors", "AssayMetrics", "AssayTesting", "AssaySimulator", "AssayCore",
                protobuf, log, lifecycle,
            ]),
        tests("AssayListening", ["AssayTesting", "AssaySimulator", "AssayRPC", "AssayCore", log] + nio + tls),
        tests(
            "AssayOperations",
            ["AssayTesting", "AssaySimulator", "AssayMetrics", "AssayListening", "AssayRPC", "AssayCore", log, lifecycle] + nio
                + tls),
        tests("AssayFiles", []),
        tests("AssayEncoding", ["AssayTesting", "AssayCore"]),
        tests("AssayCertificates", ["AssayEncoding", "AssayCore", "AssaySimulator", crypto, cryptoExtras]),
        tests(
            "AssayProvisioning",
            [
                "AssayTesting", "AssaySimulator", "AssaySigning", "AssayCertificates", "AssayEncoding", "AssayFiles",
                "AssayCore", crypto,
            ]),
        tests(
            "AppAttest",
            [
                "AssayTesting", "AssaySimulator", "AssaySchemes", "AssayVendors", "AssayCertificates", "AssayEncoding",
                "AssayCore", crypto, log,
            ]),
        tests("KeySignature", ["AssaySimulator", "AssayCertificates", "AssayEncoding", "AssayCore", crypto]),
        tests(
            "AndroidKeyAttestation",
            [
                "AssayTesting", "AssaySimulator", "AssaySchemes", "AssayVendors", "AssayCertificates", "AssayEncoding",
                "AssayCore", crypto,
            ]),
        tests(
            "PlayIntegrity",
            ["AssayTesting", "AssaySimulator", "AssaySchemes", "AssayVendors", "AssayEncoding", "AssayCore", crypto, log]),
        tests(
            "SafetyNet",
            [
                "AssayTesting", "AssaySimulator", "AssaySchemes", "AssayCertificates", "AssayEncoding", "AssayCore", crypto,
                cryptoExtras,
            ]),
        tests(
            "CertificateBundle",
            [
                "AssayTesting", "AssaySimulator", "AssaySchemes", "AssayVendors", "AssayCertificates", "AssayEncoding",
                "AssayCore", crypto,
            ]),
        tests("AssayProtobuf", ["AssayTesting", protobuf]),
        tests("AssayRPC", ["AssayTesting", "AssayCore", protobuf, log, lifecycle]),
        tests(
            "AssayFramedRPC",
            nio + tls + [
                "AssayListening", "AssayRPC", "AssayProtobuf", "AssayTesting", "AssaySimulator", "AssayCore", crypto, protobuf,
                log, lifecycle,
            ]),
        tests("AssayAPI", ["AssayTesting", "AssayCore", protobuf]),
        tests(
            "AssayHTTP",
            nio + tls + http2 + [
                "AssayListening", "AssayRPC", "AssayAPI", "AssayProtobuf", "AssayCompression", "AssayTesting", "AssaySimulator",
                "AssayCore",
                crypto, protobuf, log,
            ]),
        tests(
            "AssayClient",
            [
                "AssayTesting", "AssaySimulator", "AssayDaemon", "AssayConfiguration", "AssaySchemes", "AssayService",
                "AppAttest", "AssayCertificates", "AssayAPI", "AssayHTTPClient", "AssayFramedRPC", "AssayListening", "AssayRPC",
                "AssayCore", crypto, log,
                protobuf,
            ] + nio + tls + http2),
        tests(
            "AssaySQLite",
            ["AssayTesting", "AssayLedger", "AssayMetrics", "AssayCore", "CSQLite", "CFaultVFS", "ledger-crash-child"],
            exclude: ["Ledgers"]),
        tests("AssayPostgres", ["AssayTesting", "AssayAudit", "AssayLedger", "AssayMetrics", "AssayCore"]),
        tests("AssayPKCS11", ["AssayCore", "CPKCS11", "FakePKCS11", crypto]),
        tests("AssaySigning", ["AssayTesting", "AssayEncoding", "AssayCore", crypto]),
        tests("AssayCompression", []),
        tests(
            "AssayResults",
            [
                "AssayTesting", "AssaySimulator", "AssaySigning", "AssayCertificates", "AssayCompression", "AssayEncoding",
                "AssayCore", crypto,
            ]),
        tests("AssayTesting", ["AssaySimulator", "AssayCore"]),
        tests(
            "AssayPlugins",
            ["AssayTesting", "AssayAPI", "AssayFramedRPC", "AssayRPC", "AssayCore", "CPluginProcess", crypto, protobuf, log]),
        tests(
            "AssayVendors", ["AssayTesting", "AssaySimulator", "AssayMetrics", "AssayCore", crypto, jwt, log, lifecycle]),
        tests(
            "DeviceCheck",
            ["AssayTesting", "AssaySimulator", "AssaySchemes", "AssayVendors", "AssayCertificates", "AssayCore", crypto]),
        tests(
            "AssayService",
            [
                "AssayTesting", "AssaySimulator", "AppAttest", "AndroidKeyAttestation", "KeySignature", "PlayIntegrity",
                "DeviceCheck", "AssayPlugins", "AssayProvisioning", "AssayResults", "AssaySigning", "AssayTracing",
                "AssayMetrics", "AssayCertificates", "AssayAPI", "AssayRPC", "AssayCore",
                protobuf,
                crypto, log, lifecycle,
            ]),
        // What several of the three targets below need: daemons in this process and as children, homes of them, servers, clients.
        .testTarget(
            name: "DaemonTesting",
            dependencies: [
                "AssayDaemon", "AssayApps", "AssayConfiguration", "AssaySchemes", "AssayPlugins", "AssayTesting",
                "AssaySimulator", "AssayClient", "AssayService", "AssayResults", "AssaySigning", "AssayPostgres", "AssaySQLite",
                "AssayVendors",
                "AssayCertificates", "AssayCompression",
                "AssayEncoding", "AssayAPI", "AssayOperations", "AssayMetrics", "AssayFramedRPC", "AssayListening", "AssayRPC",
                "AssayCore",
                crypto,
                log, protobuf,
            ] + schemes,
            swiftSettings: strict),
        tests(
            "AssayConfiguration",
            [
                "DaemonTesting", "AssayDaemon", "AssaySchemes", "AssayPlugins", "AssaySimulator", "AssayTesting",
                "AssayService", "AssayResults", "AssaySigning",
                "AssayPostgres", "AssaySQLite", "AssayVendors", "AssayProvisioning", "AssayCertificates", "AssayCompression",
                "AssayEncoding",
                "AssayAPI", "AssayTraceExport", "AssayTracing", "AssayHTTP", "AssayFramedRPC", "AssayListening", "AssayRPC",
                "AssayCore", crypto, log,
            ] + schemes),
        .testTarget(
            name: "AssayCommandTests",
            dependencies: [
                "DaemonTesting", "AssayConfiguration", "AssaySchemes", "AssayPlugins", "AssaySimulator", "AssayProvisioning",
                "AssayCertificates", "AssayEncoding", "AssayAPI", "AssayCommandLine", "AssayCore", "assayd", "assay", crypto,
                protobuf,
            ],
            swiftSettings: strict),
        // Commands that ask a daemon, and daemons that issue certificates: parts of the tests of the daemon, compiled beside them. The programs
        // that tests start are no dependencies of theirs: all are built with the tests, and none is waited for before those are compiled.
        .testTarget(
            name: "DaemonCommandTests",
            dependencies: [
                "DaemonTesting", "AssayDaemon", "AssayConfiguration", "AssayTesting", "AssayEvidenceCases", "AssaySimulator",
                "AssayClient",
                "AssayService", "AssaySQLite", "AssayAPI", "AssayRPC", "AssayCore", "CSQLite", crypto, log,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "DaemonProvisioningTests",
            dependencies: [
                "DaemonTesting", "AssayDaemon", "AssayConfiguration", "AssayTesting", "AssaySimulator", "AssayClient",
                "AssayService", "AssaySQLite", "AssayVendors", "AssayCertificates", "AssayEncoding", "AssayAPI", "AssayHTTP",
                "AssayFramedRPC", "AssayListening", "AssayRPC", "AssayCore", crypto, log, protobuf,
            ],
            swiftSettings: strict),
        tests(
            "AssayDaemon",
            [
                "DaemonTesting", "AssayConfiguration", "AssaySchemes", "AssayPlugins", "AssayAudit", "AssayTesting",
                "AssaySimulator", "AssayClient", "AssayService", "AssayLedger", "AssayPostgres", "AssaySQLite", "AssayVendors",
                "AssayProvisioning", "AssayCertificates", "AssayEncoding", "AssayAPI", "AssayOperations", "AssayTraceExport",
                "AssayTracing", "AssayOTLP", "AssayMetrics", "AssayHTTP", "AssayFramedRPC", "AssayListening", "AssayRPC",
                "AssayCore",
                "CSQLite", "CFaultVFS",
                crypto, log, lifecycle,
            ] + schemes),
        tests("AssaySimulator", ["AssayEncoding", "AssayCore", crypto, cryptoExtras]),
        // Project Wycheproof's vectors, through the paths of several modules.
        .testTarget(
            name: "WycheproofTests",
            dependencies: [
                "KeySignature", "CertificateBundle", "PlayIntegrity", "AssayService", "AssaySigning", "AssaySchemes",
                "AssayTesting", "AssaySimulator", "AssayCertificates", "AssayEncoding", "AssayCore", crypto, cryptoExtras,
            ],
            swiftSettings: strict),
        tests("FuzzTargets", ["AssaySimulator", "AssayTesting", "AssayCore", crypto]),
    ]
)
