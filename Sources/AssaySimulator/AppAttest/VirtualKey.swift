public import AssayCore
import AssayEncoding
import Crypto

/// A key of a virtual phone, as if in its Secure Enclave.
public struct VirtualKey: Sendable {
    public let phone: VirtualPhone
    /// The private key. A real phone never reveals it; tests use it for forgeries.
    public let signingKey: TestSigningKey
    /// The number of signed assertions: the counter of the last one.
    public var counter: UInt32 = 0

    init(phone: VirtualPhone, signingKey: TestSigningKey) {
        (self.phone, self.signingKey) = (phone, signingKey)
    }

    /// SHA-256 of the public point. 32 bytes; apps get them in Base64.
    public var keyID: [UInt8] { Array(SHA256.hash(data: publicKey)) }

    /// Uncompressed X9.63 point, 65 bytes.
    public var publicKey: [UInt8] { signingKey.publicPoint }

    /// An attestation object, as `attestKey(_:clientDataHash:)` returns it.
    ///
    /// The credential certificate is issued at `time`: its serial number is that instant in milliseconds, and it is valid from
    /// 24 hours before to 48 hours after, as in genuine ones. `clientDataHash` is usually `ClientData.hash`; its length is not
    /// checked, as iOS does not check it.
    public func attest(
        clientDataHash: [UInt8], at time: Timestamp, changes: AttestationChanges = .genuine
    ) throws(SimulatorError) -> [UInt8] {
        var data = AuthenticatorDataDraft(phone: phone, signCount: 0)
        data.credential = .init(
            aaguid: phone.environment.aaguid, id: keyID, publicKey: AuthenticatorDataDraft.coseKey(point: publicKey))
        changes.authenticatorData(&data)
        var authenticatorData = data.bytes
        changes.authenticatorBytes(&authenticatorData)
        var passedHash = clientDataHash
        changes.passedHash(&passedHash)
        var clientDataHash = passedHash
        changes.clientDataHash(&clientDataHash)
        var nonce = Array(SHA256.hash(data: authenticatorData + clientDataHash))
        changes.nonce(&nonce)

        let leaf = try leaf(nonce: nonce, issuedAt: time, changes: changes)
        let receipt = try receipt(leaf: leaf, clientDataHash: passedHash, at: time, changes: changes.receipt)
        var chain = [leaf, try intermediate(changes: changes)]
        changes.chain(&chain)
        changes.sentAuthenticatorBytes(&authenticatorData)

        var statement = CBORMap()
        statement.append("x5c", CBORWriter.array(chain.map { CBORWriter.bytes($0) }))
        statement.append("receipt", CBORWriter.bytes(receipt))
        changes.statement(&statement)
        var object = CBORMap()
        object.append("fmt", CBORWriter.text("apple-appattest"))
        object.append("attStmt", statement.bytes)
        object.append("authData", CBORWriter.bytes(authenticatorData))
        changes.object(&object)
        var bytes = object.bytes
        changes.bytes(&bytes)
        return bytes
    }

    /// An assertion, as `generateAssertion(_:clientDataHash:)` returns it, with the next counter.
    public mutating func assert(
        clientDataHash: [UInt8], changes: AssertionChanges = .genuine
    ) throws(SimulatorError) -> [UInt8] {
        guard counter < .max else { throw .counterExhausted }
        counter += 1
        var data = AuthenticatorDataDraft(phone: phone, signCount: counter)
        changes.authenticatorData(&data)
        var authenticatorData = data.bytes
        changes.authenticatorBytes(&authenticatorData)
        var clientDataHash = clientDataHash
        changes.clientDataHash(&clientDataHash)
        let digest = SHA256.hash(data: authenticatorData + clientDataHash)
        var nonce = Array(digest)
        changes.nonce(&nonce)

        let signer = changes.signer ?? signingKey
        let signature =
            switch changes.hashing {
            case .double: try signer.sign(nonce, hash: .sha256)
            case .single: try signer.sign(digest: digest)
            }
        changes.sentAuthenticatorBytes(&authenticatorData)

        var object = CBORMap()
        object.append("signature", CBORWriter.bytes(changes.writeSignature(signature)))
        object.append("authenticatorData", CBORWriter.bytes(authenticatorData))
        changes.object(&object)
        var bytes = object.bytes
        changes.bytes(&bytes)
        return bytes
    }
}

extension VirtualKey {
    /// The credential certificate over a nonce.
    private func leaf(
        nonce: [UInt8], issuedAt time: Timestamp, changes: AttestationChanges
    ) throws(SimulatorError) -> [UInt8] {
        let hour: Int64 = 3_600_000
        let extensions: [CertificateBuilder.Extension?] = [
            .basicConstraints(ca: false),
            .keyUsage([.digitalSignature, .nonRepudiation, .keyEncipherment, .dataEncipherment]),
            phone.reportsExtensions ? Self.appleExtendedKeyUsage : nil,
            AppleExtensions.keyFacts(phone), AppleExtensions.platformFacts(phone), .appleNonce(nonce),
            AppleExtensions.accessControl(phone),
        ]
        var leaf = CertificateBuilder(
            serial: withUnsafeBytes(of: time.unixMilliseconds.bigEndian) { Array($0) }, algorithm: .ecdsaWithSHA256,
            issuer: TestAuthority.intermediateName,
            notBefore: time.adding(milliseconds: -24 * hour), notAfter: time.adding(milliseconds: 48 * hour),
            subject: .init(
                commonName: Hex.encode(keyID), unit: "AAA Certification", organization: "Assay Simulator",
                state: "Simulation"),
            subjectPublicKeyInfo: signingKey.subjectPublicKeyInfo, extensions: extensions.compactMap { $0 })
        changes.leaf(&leaf)
        var bytes = try leaf.signed(by: changes.leafSigner ?? phone.authority.intermediateKey)
        changes.leafBytes(&bytes)
        return bytes
    }

    private func intermediate(changes: AttestationChanges) throws(SimulatorError) -> [UInt8] {
        guard let change = changes.intermediate else { return phone.authority.intermediateCertificate }
        var intermediate = phone.authority.intermediateDraft
        change(&intermediate)
        return try intermediate.signed(by: changes.intermediateSigner ?? phone.authority.rootKey)
    }

    private static let appleExtendedKeyUsage = CertificateBuilder.Extension(
        ExtensionName.extendedKeyUsage, DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.113635.100.4.24")]))
}

extension VirtualKey {
    private static let title = "assay virtual key 1"

    /// The key, its phone and its counter as text, for saving them to a file. The authority is saved separately.
    public var saved: String {
        var saved = SavedText(Self.title)
        phone.save(to: &saved)
        saved.add("key", signingKey.scalar)
        saved.add("counter", String(counter))
        return saved.text
    }

    /// The key whose `saved` is the text, under its authority.
    public init(saved text: String, authority: TestAuthority) throws(SimulatorError) {
        let saved = try SavedText(Self.title, reading: text)
        phone = try VirtualPhone(authority: authority, from: saved)
        signingKey = try TestSigningKey(.p256, scalar: try saved.bytes("key"))
        counter = try saved.number("counter")
    }
}

extension VirtualKey {
    /// A receipt of this key as Apple's service signs it, under the authority's root: an ATTEST for an attestation, or the
    /// RECEIPT of an exchange.
    ///
    /// - Parameters:
    ///   - leaf: the credential certificate, which a receipt contains. `nil` writes the bare public key.
    ///   - riskMetric: about how many keys the app attested on the device in 30 days; only in a RECEIPT.
    public func receipt(
        _ kind: ReceiptDraft.Kind = .attest, leaf: [UInt8]? = nil, clientDataHash: [UInt8], riskMetric: Int = 1,
        at time: Timestamp, changes: ReceiptChanges = .genuine
    ) throws(SimulatorError) -> [UInt8] {
        let draft = ReceiptDraft(
            kind, phone: phone, leaf: leaf ?? signingKey.subjectPublicKeyInfo, clientDataHash: clientDataHash,
            token: token, at: time, riskMetric: riskMetric)
        return try phone.authority.receipts.sign(draft, root: phone.authority.rootCertificate, changes: changes)
    }

    /// Opaque, 88 characters, equal in all receipts of a key.
    private var token: String { Base64.standard.encode(Array(SHA512.hash(data: publicKey))) }
}
