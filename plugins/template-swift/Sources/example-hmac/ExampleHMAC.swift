import AssayPlugin
import CLibcrypto

/// Appraises an HMAC-SHA-256 over the client data under a key that app and server share. It shows how a plugin is written, and
/// proves nothing about a device.
@main
struct ExampleHMAC: Plugin {
    static let description = PluginDescription(
        name: "example-hmac",
        version: "1.0.0",
        formats: [
            Format(
                "example.hmac", purposes: [.assert], sizeLimit: 64, freshness: .challenge,
                claims: [ClaimDeclaration("algorithm", .text, "how the client data was authenticated")])
        ],
        configurationKeys: [
            ConfigurationKey("key", .secretFile, required: true, "the key that app and server share: 64 hex digits")
        ])

    let key: [UInt8]

    init(configuration: Setting) {
        // No file is read: the sandbox would refuse.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
        key = configuration["key"].hex(size: 32)
    }

    func appraise(_ evidence: Evidence, _ appraisal: inout Appraisal, host: Host) throws {
        let body = evidence.body
        try appraisal.require("form", body.count == 32, else: .malformed, "expected an HMAC of 32 bytes, found \(body.count)")
        let right = Bytes.equalInConstantTime(try hmac(evidence.clientData), body)
        try appraisal.require("signature", right, else: .badSignature, "the HMAC is not over this client data")
        // From here on the evidence is authentic.
        appraisal.verifiedClientData(sha256: try sha256(evidence.clientData))
        appraisal.claim("algorithm", .text("hmac-sha256"))
        appraisal.assurance = .software
    }

    private func hmac(_ data: [UInt8]) throws -> [UInt8] {
        var mac = [UInt8](repeating: 0, count: 32)
        guard HMAC(EVP_sha256(), key, Int32(key.count), data, data.count, &mac, nil) != nil else {
            throw Fault.internal("libcrypto_failed", "libcrypto cannot make an HMAC")
        }
        return mac
    }

    private func sha256(_ data: [UInt8]) throws -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(data, data.count, &digest, nil, EVP_sha256(), nil) == 1 else {
            throw Fault.internal("libcrypto_failed", "libcrypto cannot make a SHA-256")
        }
        return digest
    }
}
