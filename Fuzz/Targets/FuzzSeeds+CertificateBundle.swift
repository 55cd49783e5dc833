import AssayCore
import AssayEncoding
import AssaySimulator

extension FuzzSeeds {
    /// A camera's bundle in each form, the text of its certificate, and a list of its CA.
    static var certificateBundles: [(name: String, bytes: [UInt8])] {
        get throws {
            guard let authority = FuzzTarget.cameraAuthority else { return [] }
            let camera = VirtualCamera(serial: "CAM-1", seed: "fuzz")
            let secret = SealedSecretDraft(sealed: [UInt8](repeating: 5, count: 60), table: 7, keyIndex: 42)
            let certificate = try authority.certificate(
                for: TestKey(camera.key), serial: "CAM-1", number: [1, 2, 3], secret: secret, at: FuzzTarget.now
            ).signed(by: authority.issuingKey)
            let hash = [UInt8](repeating: 0xAB, count: 32)
            let json = try camera.bundle(imageHash: hash, certificate: certificate, at: FuzzTarget.now, locationHash: hash)
            let text = Array(Base64.standard.encode(Array((PEM.encode(certificate) + authority.issuingPEM).utf8)).utf8)
            let fields = CertificateBundle.Fields(
                imageHash: hash, certificate: text, timestamp: 1_780_000_000, signature: hash + hash)
            let digest = CertificateBundle.Digest(signedSHA256: hash, certificate: text, signature: hash + hash)
            let list = RevocationListBuilder(
                of: authority, at: FuzzTarget.now, entries: [.init([1, 2, 3], at: FuzzTarget.now, reason: 1)])
            return [
                ("certificate-bundle/json", json), ("certificate-bundle/pem", text),
                ("certificate-bundle/fields", CertificateBundle.fields(fields).evidence.body),
                ("certificate-bundle/digest", CertificateBundle.digest(digest).evidence.body),
                ("json/bundle", json), ("certificates/camera", certificate),
                ("certificates/list", try list.signed(by: authority.issuingKey)),
                ("certificates/list-pem", Array(try list.pem(signedBy: authority.issuingKey).utf8)),
            ]
        }
    }
}
