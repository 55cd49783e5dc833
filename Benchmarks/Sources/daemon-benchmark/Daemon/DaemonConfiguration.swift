import AssayCore
import AssaySimulator
import Crypto
import Foundation

/// What a daemon of a benchmark is told: where its ledger is, its apps, and the root of their devices.
struct DaemonConfiguration {
    static let appID = "ABCDE12345.com.example.camera"
    /// The same app for Android, and the SHA-256 of the certificate that signs it.
    static let package = "com.example.camera"
    static let packageSigner = [UInt8](repeating: 0x19, count: 32)
    /// The app of registered phones.
    static var phoneApp: AppID { get throws { try app("camera") } }
    /// The app of a fleet, only if the daemon certifies.
    static var fleetApp: AppID { get throws { try app("fleet") } }

    private static func app(_ name: String) throws -> AppID {
        guard let app = AppID(name) else { throw CocoaError(.formatting) }
        return app
    }

    /// The section `store`. Paths that are not absolute lie in the daemon's folder.
    var store = "{path: ledger.sqlite}"
    /// Whether it issues device certificates, by a P-256 CA whose key is in a file.
    var certifies = false
    /// Whether devices that were imported may upload.
    var acceptsImported = false
    /// Whether it listens over HTTP beside frames.
    var speaksHTTP = false
    /// Whether it signs results, with ES256 by keys in files.
    var signsResults = false
    /// Whether payloads may be uploaded in chunks.
    var takesUploads = false
    /// Whether it takes evidence of Android devices: key attestation, key signatures, and Play Integrity by local keys.
    var takesAndroid = false
    /// `limits.max_connections`, if it is not the default.
    var connections: Int?
    /// Whether of a minute's rejections only the first has a record by itself, and not the first 60, before one stands for many. Where a minute has few
    /// requests, these would weigh as they do not in a flood, and differently in each run.
    var recordsAsInFlood = false
    /// Daemons on one ledger have the same.
    var authority = TestAuthority()
    var vendors = Vendors()

    /// Google's part: the roots of Android devices, and the keys of Play Integrity.
    struct Vendors: Sendable {
        let android = AndroidAuthority()
        let console = PlayConsole()
    }

    /// Writes the configuration and the files that it names into a folder.
    ///
    /// - Parameter httpAddress: where it listens over HTTP, if it does.
    /// - Returns: the path of the configuration.
    func write(to folder: URL, listeningAt address: String, httpAddress: String) throws -> String {
        try Data(authority.rootPEM.utf8).write(to: folder.appending(path: "root.pem"))
        var text = """
            listen:
              - tcp: \(address)
            \(speaksHTTP ? "  - {tcp: \"\(httpAddress)\", protocol: http}" : "")
            store: \(store)
            callers:
              loopback_demo: true
            trust:
              test_roots: [root.pem\(takesAndroid ? ", android.pem" : "")]
            \(connections.map { "limits: {max_connections: \($0)}" } ?? "")
            \(recordsAsInFlood ? "verdicts: {flood: {full_per_minute: 1}}" : "")
            \(signsResults ? Self.signing : "")
            apps:
              camera:
                accept_simulated: true
                \(signsResults ? "results: {shapes: [ear-jwt], audiences: [\"\(Self.audience)\"]}" : "")
                \(takesUploads ? "uploads: {max_open_uploads: 10000}" : "")
                challenge:
                  ttl: 1h
                app_attest:
                  accept_imported: \(acceptsImported)
                  identities:
                    - app_id: \(Self.appID)
            """
        if signsResults {
            for name in ["results", "simulated"] { try Self.write(P256.Signing.PrivateKey(), to: folder, as: "\(name).key") }
        }
        if takesAndroid {
            try vendors.write(to: folder)
            text += Self.android
        }
        if certifies {
            try Self.writeAuthority(to: folder)
            text += Self.certifying
        }
        let file = folder.appending(path: "assayd.yaml")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    /// Whom results are for.
    static let audience = "https://uploads.example.com"

    /// Virtual phones are simulated ones, which have an issuer of their own.
    private static let signing = """
        results: {issuer: "https://assay.example.com", keys: [{file: results.key}], \
        simulated: {issuer: "https://assay.example.com/simulated", keys: [{file: simulated.key}]}}
        """

    /// Continues the configuration of the first app.
    private static let android = """

            android: {packages: [{name: \(package), signers: ["\(Hex.encode(packageSigner))"]}], revocation: {source: none}}
            play_integrity: {packages: [\(package)], signers: ["\(Hex.encode(packageSigner))"], max_age: 1h, \
        keys: [{decryption_key_file: decryption.key, verification_key_file: verification.key}]}
        """

    /// Continues the configuration of the first app.
    private static let certifying = """

            provisioning: {}
          fleet:
            provisioning:
              fleet:
                manufacturer: Example Cameras
            certificate_bundle:
              submissions:
                warn: 999999999
                block: 1000000000
        provisioning:
          authorities:
            - name: issuing-1
              certificate: issuing.pem
              key: issuing.key
        """

    private static func writeAuthority(to folder: URL) throws {
        let authority = try CameraAuthority(seed: "benchmark", from: SystemClock().now())
        let chain = authority.issuingPEM + authority.rootPEM
        try Data(chain.utf8).write(to: folder.appending(path: "issuing.pem"))
        try write(
            P256.Signing.PrivateKey(rawRepresentation: authority.issuingKey.privateBytes), to: folder, as: "issuing.key")
    }

    /// Writes a private key, PKCS #8 in PEM.
    private static func write(_ key: P256.Signing.PrivateKey, to folder: URL, as name: String) throws {
        try write(key.pemRepresentation, to: folder, as: name)
    }

    /// Writes a file that only its owner can read.
    fileprivate static func write(_ text: String, to folder: URL, as name: String) throws {
        let file = folder.appending(path: name).path
        guard
            FileManager.default.createFile(
                atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
    }
}

extension DaemonConfiguration.Vendors {
    fileprivate func write(to folder: URL) throws {
        try DaemonConfiguration.write(try android.pem(.p384), to: folder, as: "android.pem")
        for (name, key) in [("decryption.key", console.decryptionKey), ("verification.key", console.verificationKey)] {
            try DaemonConfiguration.write(Base64.standard.encode(key), to: folder, as: name)
        }
    }
}
