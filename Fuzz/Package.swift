// swift-tools-version: 6.2
import PackageDescription

/// One program per target: `main` is libFuzzer's, and it calls the target with the program's name.
func fuzzer(_ name: String) -> Target {
    .executableTarget(
        name: "fuzz-" + name, dependencies: [.product(name: "FuzzTargets", package: "assay")],
        swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error), .unsafeFlags(["-parse-as-library"])])
}

let package = Package(
    name: "assay-fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "assay", path: "..")],
    targets: [
        fuzzer("frame"), fuzzer("messages"), fuzzer("cbor"), fuzzer("certificates"), fuzzer("app-attest"),
        fuzzer("receipt"), fuzzer("configuration"), fuzzer("json"), fuzzer("tokens"), fuzzer("key-attestation"),
        fuzzer("key-signature"), fuzzer("status-list"), fuzzer("vendor-answers"),
        fuzzer("certificate-request"),
        fuzzer("certificate-bundle"), fuzzer("signals"), fuzzer("method-json"),
        fuzzer("envelope"), fuzzer("gzip"), fuzzer("grpc-web-text"), fuzzer("reflection"), fuzzer("forwarded"),
        fuzzer("header-blocks"),
        fuzzer("results"), fuzzer("depth-map"), fuzzer("offline-capture"), fuzzer("uploads"), fuzzer("signers"),
    ]
)
