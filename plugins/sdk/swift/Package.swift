// swift-tools-version: 6.2
import PackageDescription

/// The library with which plugins are written in Swift. The sources are a target of the repository's own package too.
let package = Package(
    name: "assay-plugin",
    platforms: [.macOS(.v15)],
    products: [.library(name: "AssayPlugin", targets: ["AssayPlugin"])],
    dependencies: [.package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0")],
    targets: [
        .target(
            name: "AssayPlugin",
            dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
            swiftSettings: settings),
        // A plugin that does what it is told, for the tests of the library.
        .executableTarget(
            name: "plugin-specimen", dependencies: ["AssayPlugin"], path: "Tests/specimen", swiftSettings: settings),
    ]
)

var settings: [SwiftSetting] {
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
