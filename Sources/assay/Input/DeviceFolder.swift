import AssayCore
import AssayEncoding
import AssaySimulator
import Crypto
import Foundation

/// The folder of a virtual device: its test authority, its root and its key, as text files of mode 0600, except for the root's.
struct DeviceFolder {
    let path: String
    /// The command that creates such a device, for messages.
    let maker: String

    var rootPath: String { path + "/root.pem" }

    func make() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw Console.unreadable("the folder \(path) cannot be made")
        }
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    func read(_ name: String) throws -> String {
        guard let data = FileManager.default.contents(atPath: path + "/" + name) else {
            throw Console.unreadable("there is no virtual device of this kind in \(path): make one with '\(maker) \(path)'")
        }
        return String(decoding: data, as: UTF8.self)
    }

    func write(_ text: String, _ name: String, mode: Int = 0o600) throws {
        let file = path + "/" + name
        guard FileManager.default.createFile(atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: mode])
        else { throw Console.unreadable("\(file) cannot be written") }
    }

    /// For scripts, in the form of `assay verify --key-id`.
    func write(keyID: [UInt8]) throws { try write(Base64.standard.encode(keyID) + "\n", "key-id") }

    func writeRoot(_ pem: String) throws { try write(pem, "root.pem", mode: 0o644) }
}

/// The folder of a virtual phone: `authority`, `root.pem`, `key`, `key-id`, all of mode 0600 but the root.
struct PhoneFolder {
    private let files: DeviceFolder

    init(path: String) { files = DeviceFolder(path: path, maker: "assay simulate phone") }

    var rootPath: String { files.rootPath }

    /// Creates the folder, an authority unless there is one, and a new key.
    func make(_ phone: (TestAuthority) -> VirtualPhone) throws -> VirtualKey {
        try files.make()
        let authority: TestAuthority
        if files.has("authority") {
            authority = try readAuthority()
        } else {
            authority = TestAuthority()
            try files.write(authority.saved, "authority")
        }
        try files.writeRoot(authority.rootPEM)
        var phone = phone(authority)
        let key = phone.makeKey()
        try save(key)
        try files.write(keyID: key.keyID)
        return key
    }

    func readKey() throws -> VirtualKey {
        do {
            return try VirtualKey(saved: try files.read("key"), authority: try readAuthority())
        } catch let error as SimulatorError {
            throw Console.unreadable("\(files.path): \(error)")
        }
    }

    /// Saves the key and its counter.
    func save(_ key: VirtualKey) throws { try files.write(key.saved, "key") }

    private func readAuthority() throws -> TestAuthority {
        do {
            return try TestAuthority(saved: try files.read("authority"))
        } catch let error as SimulatorError {
            throw Console.unreadable("\(files.path): \(error)")
        }
    }
}

/// The folder of a virtual camera: `serial` and `key.pem`, of mode 0600; and, after it was provisioned, `certificate.pem`.
struct CameraFolder {
    private let files: DeviceFolder

    init(path: String) { files = DeviceFolder(path: path, maker: "assay simulate camera make") }

    private static let key = "key.pem"
    private static let serial = "serial"

    func save(_ camera: VirtualCamera) throws {
        try files.make()
        try files.write(camera.serial + "\n", Self.serial)
        // The form that 'openssl' and 'assay provision renew' read.
        try files.write(camera.key.pem, Self.key)
    }

    func read() throws -> VirtualCamera {
        let serial = try files.read(Self.serial).trimmingCharacters(in: .newlines)
        let text = try files.read(Self.key)
        do {
            let key = try P256.Signing.PrivateKey(pemRepresentation: text)
            return try VirtualCamera(serial: serial, scalar: Array(key.rawRepresentation))
        } catch {
            throw Console.unreadable("\(files.path)/\(Self.key) is not a P-256 key in PEM")
        }
    }

    /// The camera's certificate, as DER.
    func readCertificate() throws -> [UInt8] {
        guard files.has("certificate.pem") else {
            throw Console.unreadable(
                "there is no certificate.pem in \(files.path): provision the camera, or name its certificate")
        }
        let text = try files.read("certificate.pem")
        do throws(Rejection) {
            return try PEM.decode(text).first ?? []
        } catch {
            throw Console.unreadable("\(files.path)/certificate.pem: \(error.detail)")
        }
    }
}

/// The folder of a virtual Android device: `authority`, `root.pem`, `key`, `key-id`; and the Play Console of its app:
/// `console`, and its keys in the files that a configuration reads, `play-decryption.key` and `play-verification.key`.
struct AndroidFolder {
    private let files: DeviceFolder

    init(path: String) { files = DeviceFolder(path: path, maker: "assay simulate android make") }

    var rootPath: String { files.rootPath }
    private static let decryptionKey = "play-decryption.key"
    private static let verificationKey = "play-verification.key"
    /// The files of the Play Console's keys.
    var playKeyPaths: [String] { [Self.decryptionKey, Self.verificationKey].map { files.path + "/" + $0 } }

    /// Creates the folder, an authority unless there is one, and a new key.
    func make(_ device: (AndroidAuthority) throws -> VirtualAndroid, kind: TestKey.Kind) throws -> AndroidKey {
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

    func readConsole() throws -> PlayConsole {
        do {
            return try PlayConsole(saved: try files.read("console"))
        } catch let error as SimulatorError {
            throw Console.unreadable("\(files.path): \(error)")
        }
    }

    func readKey() throws -> AndroidKey {
        do {
            return try AndroidKey(saved: try files.read("key"), authority: try readAuthority())
        } catch let error as SimulatorError {
            throw Console.unreadable("\(files.path): \(error)")
        }
    }

    private func readAuthority() throws -> AndroidAuthority {
        do {
            return try AndroidAuthority(saved: try files.read("authority"))
        } catch let error as SimulatorError {
            throw Console.unreadable("\(files.path): \(error)")
        }
    }
}
