import Foundation
import Testing

/// SoftHSM with one token, "assay-ca", in a folder of its own, for child processes.
final class SoftHSM: Sendable {
    static let module = ["/usr/lib/softhsm/libsofthsm2.so", "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so"]
        .first { FileManager.default.fileExists(atPath: $0) }
    static let isInstalled = module != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/softhsm2-util")

    static let token = "assay-ca"
    static let pin = "730184"
    let folder: TemporaryFolder
    let pinFile: String
    let module: String

    /// What a process needs that uses it.
    var environment: [String: String] { ["SOFTHSM2_CONF": folder.file("softhsm2.conf")] }
    /// The options of `assay ca`.
    var options: [String] { ["--pkcs11-module", module, "--token", Self.token, "--pin-file", pinFile] }

    init() async throws {
        module = try #require(Self.module)
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("tokens"), withIntermediateDirectories: false)
        try folder.write(
            "directories.tokendir = \(folder.file("tokens"))\nobjectstore.backend = file\nlog.level = ERROR\n",
            to: "softhsm2.conf")
        pinFile = try folder.write(Self.pin + "\n", to: "pin")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: pinFile)
        try await run("--init-token", "--free", "--label", Self.token, "--so-pin", "5678", "--pin", Self.pin)
    }

    /// Runs `softhsm2-util`, which has to succeed.
    func run(_ arguments: String...) async throws {
        let ending = try await Child("/usr/bin/softhsm2-util", arguments, environment: environment).ending()
        try #require(ending.status == 0, "\(ending)")
    }

    /// Takes the token away.
    func takeAway() throws { try FileManager.default.moveItem(atPath: folder.file("tokens"), toPath: folder.file("away")) }

    func bringBack() throws { try FileManager.default.moveItem(atPath: folder.file("away"), toPath: folder.file("tokens")) }
}
