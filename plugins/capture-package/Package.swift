// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "capture-package",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "assay-plugin", path: "../sdk/swift")],
    targets: [
        .systemLibrary(name: "CLibcrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .executableTarget(
            name: "capture-package",
            dependencies: [.product(name: "AssayPlugin", package: "assay-plugin"), "CLibcrypto"]),
    ]
)
