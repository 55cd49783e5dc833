// swift-tools-version: 6.0
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "AssayPhone",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [.library(name: "AssayPhone", targets: ["AssayPhone"])],
    targets: [
        .target(name: "AssayPhone", swiftSettings: strict),
        .testTarget(name: "AssayPhoneTests", dependencies: ["AssayPhone"], swiftSettings: strict),
    ]
)
