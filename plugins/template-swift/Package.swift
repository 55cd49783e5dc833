// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "example-hmac",
    platforms: [.macOS(.v15)],
    // Or by URL: .package(url: "https://<the repository of Assay>", from: "…"), with package: "assay" below.
    dependencies: [.package(name: "assay-plugin", path: "../sdk/swift")],
    targets: [
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .executableTarget(
            name: "example-hmac",
            dependencies: [.product(name: "AssayPlugin", package: "assay-plugin"), "CLibcrypto"]),
    ]
)
