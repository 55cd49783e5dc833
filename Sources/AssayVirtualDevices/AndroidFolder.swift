import AssayCommandLine
import AssayCore
package import AssaySimulator

/// The folder of a virtual Android device: `authority`, `root.pem`, `key`, `key-id`; and the Play Console of its app:
/// `console`, and its keys in the files that a configuration reads, `play-decryption.key` and `play-verification.key`.
package struct AndroidFolder {
    private let files: DeviceFolder

    package init(path: String) { files = DeviceFolder(path: path, maker: "assay simulate android make") }

    package var rootPath: String { files.rootPath }
    private static let decryptionKey = "play-decryption.key"
    private static let verificationKey = "play-verification.key"
    /// The files of the Play Console's keys.
    package var playKeyPaths: [String] { [Self.decryptionKey, Self.verificationKey].map { files.path + "/" + $0 } }

    /// Creates the folder, an authority unless there is one, and a new key.
    package func make(_ device: (AndroidAuthority) throws -> VirtualAndroid, kind: TestKey.Kind) throws -> AndroidKey {
        try files.make()
        let authority: AndroidAuthority
        if files.has("authority") {
            authority = try readAuthority()
        } else {
            authority = AndroidAuthority()
            try files.write(try authority.saved(), "authority")
        }
        var device = try device(authority)
        try files.writeRoot(try authority.pem(device.root))
        let key = try device.makeKey(kind)
        try files.write(key.saved, "key")
        try files.write(keyID: key.keyID)
        if !files.has("console") {
            let console = PlayConsole()
            try files.write(console.saved, "console")
            try files.write(Base64.standard.encode(console.decryptionKey) + "\n", Self.decryptionKey)
            try files.write(Base64.standard.encode(console.verificationKey) + "\n", Self.verificationKey)
        }
        return key
    }

    package func readConsole() throws -> PlayConsole {
        do {
            return try PlayConsole(saved: try files.read("console"))
        } catch let error as SimulatorError {
            throw CommandFailure.unreadable("\(files.path): \(error)")
        }
    }

    package func readKey() throws -> AndroidKey {
        do {
            return try AndroidKey(saved: try files.read("key"), authority: try readAuthority())
        } catch let error as SimulatorError {
            throw CommandFailure.unreadable("\(files.path): \(error)")
        }
    }

    private func readAuthority() throws -> AndroidAuthority {
        do {
            return try AndroidAuthority(saved: try files.read("authority"))
        } catch let error as SimulatorError {
            throw CommandFailure.unreadable("\(files.path): \(error)")
        }
    }
}
