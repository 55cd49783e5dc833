// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: Swift 6 language mode, and a warning is an error.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "assay-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "assay", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        .executableTarget(
            name: "daemon-benchmark",
            dependencies: [
                .product(name: "AssayClient", package: "assay"),
                .product(name: "AssaySimulator", package: "assay"),
                .product(name: "AssayTesting", package: "assay"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: strict),
        // Not a measurement: the same requests over every protocol, whose answers must be equal.
        .executableTarget(
            name: "front-comparison",
            dependencies: [
                .product(name: "AssayClient", package: "assay"),
                .product(name: "AssaySimulator", package: "assay"),
                .product(name: "AssayTesting", package: "assay"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            swiftSettings: strict),
    ]
)
