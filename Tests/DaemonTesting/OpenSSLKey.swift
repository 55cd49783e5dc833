import AssayCore
import AssaySimulator
import Crypto
import Foundation
import Testing

/// A private key in a file, with which OpenSSL's command line signs.
final class OpenSSLKey: Sendable {
    private let folder: TemporaryFolder
    /// A PKCS #10 request (DER) for the key.
    let csr: [UInt8]

    /// A new key and its request, both made by OpenSSL.
    init(curve: String = "prime256v1", subject: String = "/CN=not used") async throws {
        folder = try TemporaryFolder()
        let key = folder.file("key.pem")
        let made = try await OpenSSL.run("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:" + curve, "-out", key)
        try #require(made.status == 0, "\(made)")
        let asked = try await OpenSSL.run(
            "req", "-new", "-key", key, "-subj", subject, "-outform", "DER", "-out", folder.file("csr"))
        try #require(asked.status == 0, "\(asked)")
        csr = Array(try Data(contentsOf: URL(fileURLWithPath: folder.file("csr"))))
    }

    /// A key that exists already: P-256.
    ///
    /// - Parameter csr: empty if it is not needed.
    init(_ key: P256.Signing.PrivateKey, csr: [UInt8] = []) throws {
        folder = try TemporaryFolder()
        try folder.write(key.pemRepresentation, to: "key.pem")
        self.csr = csr
    }

    /// A key in a PEM file.
    convenience init(file: String) throws {
        try self.init(P256.Signing.PrivateKey(pemRepresentation: String(contentsOfFile: file, encoding: .utf8)))
    }

    /// The private scalar, 32 bytes, of a P-256 key.
    func scalar() throws -> [UInt8] {
        Array(try P256.Signing.PrivateKey(pemRepresentation: folder.text("key.pem")).rawRepresentation)
    }

    /// `openssl dgst -sha256 -sign`: a signature in DER.
    func sign(_ message: [UInt8]) async throws -> [UInt8] {
        let name = "message-" + SecureRandom.bytes(6).map { "\($0)" }.joined()
        let (input, output) = (try folder.write(message, to: name), folder.file(name + ".sig"))
        let signed = try await OpenSSL.run("dgst", "-sha256", "-sign", folder.file("key.pem"), "-out", output, input)
        try #require(signed.status == 0, "\(signed)")
        return Array(try Data(contentsOf: URL(fileURLWithPath: output)))
    }

    /// A certificate (DER) that the key signed itself.
    func selfSigned(isAuthority: Bool) async throws -> Data {
        let made = try await OpenSSL.run(
            "req", "-x509", "-new", "-key", folder.file("key.pem"), "-subj", "/CN=camera", "-days", "2", "-addext",
            "keyUsage=critical,digitalSignature", "-addext", "basicConstraints=critical,CA:\(isAuthority ? "TRUE" : "FALSE")",
            "-outform", "DER", "-out", folder.file("own"))
        try #require(made.status == 0, "\(made)")
        return try Data(contentsOf: URL(fileURLWithPath: folder.file("own")))
    }

    /// A bundle that OpenSSL signs.
    func bundle(
        _ certificate: Data, image: String = "an image", secondsAgo: Int64 = 0, place: String? = nil
    ) async throws -> SignedBundle {
        var bundle = SignedBundle(
            imageHash: Hex.encode(SHA256.bytes(of: Array(image.utf8))), certificate: Base64.standard.encode(Array(certificate)),
            timestamp: SystemClock().now().unixMilliseconds / 1000 - secondsAgo,
            locationHash: place.map { Hex.encode(SHA256.bytes(of: Array($0.utf8))) })
        bundle.signature = try await sign(bundle.signedBytes)
        return bundle
    }
}

/// The members of a bundle as they travel.
struct SignedBundle: Hashable, Sendable {
    /// Hexadecimal.
    var imageHash: String
    /// Base64 of the DER.
    var certificate: String
    /// Seconds since 1970.
    var timestamp: Int64
    /// Hexadecimal.
    var locationHash: String?
    var signature: [UInt8] = []

    /// Four lines, each ended by one LF.
    var signedBytes: [UInt8] { Array("\(imageHash)\n\(certificate)\n\(timestamp)\n\(locationHash ?? "")\n".utf8) }

    var json: [UInt8] {
        let place = locationHash.map { "\"gps_hash\":\"\($0)\"," } ?? ""
        return Array(
            """
            {"image_hash":"\(imageHash)","camera_cert":"\(certificate)","timestamp":\(timestamp),\(place)"bundle_signature":"\(
                Base64.standard.encode(signature))"}
            """.utf8)
    }

    /// What a caller sends that does not show what was signed.
    var split: CertificateBundle {
        .digest(
            .init(
                signedSHA256: SHA256.bytes(of: signedBytes), certificate: Array(certificate.utf8), signature: signature))
    }

    func changed(_ change: (inout Self) -> Void) -> [UInt8] {
        var copy = self
        change(&copy)
        return copy.json
    }
}
