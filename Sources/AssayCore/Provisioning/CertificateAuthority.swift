/// Issues device certificates and signs revocation lists. It keeps no registry: a certificate counts once the ledger has it.
package protocol CertificateAuthority: Sendable {
    /// The public key of a PKCS#10 request (RFC 2986, DER) whose signature proves possession of the private key.
    ///
    /// Throws `malformed_csr`, `unsupported_key` or `possession_not_proven`. Nothing else of the request is used.
    func requestedKey(_ csr: [UInt8]) throws(Rejection) -> RequestedKey

    /// The key of a bare SubjectPublicKeyInfo (DER). Throws `unsupported_key` unless it is a P-256 or P-384 key.
    func requestedKey(bare publicKey: [UInt8]) throws(Rejection) -> RequestedKey

    /// Builds and signs a certificate with the CA that signs at `now`, under a serial number that no other certificate has.
    func issue(_ order: CertificateOrder, at now: Timestamp) async throws(AuthorityError) -> SignedCertificate

    /// Whether the CA that signs at `now` waits for a device, such as a token: then certificates should be ordered at the same time, and none
    /// should wait for another one's. Default: true.
    func waits(at now: Timestamp) -> Bool

    /// All CAs of the configuration, published ones that do not sign yet included, in the order of the configuration.
    func authorities(at now: Timestamp) -> [AuthorityFacts]

    /// The device secret in a certificate that `issue` made for a fleet's device; `nil` unless the fleet's keys open it.
    ///
    /// - Parameters:
    ///   - certificate: DER.
    ///   - arc: of the fleet's extensions.
    func deviceSecret(in certificate: [UInt8], arc: ExtensionArc, _ fleet: FleetSecrets) -> [UInt8]?

    /// Signs a list of the revoked certificates of one CA.
    ///
    /// - Parameter issuer: SHA-256 of the CA's SubjectPublicKeyInfo.
    func sign(_ content: RevocationListContent, issuer: [UInt8]) async throws(AuthorityError) -> [UInt8]
}

extension CertificateAuthority {
    package func waits(at now: Timestamp) -> Bool { true }
}

/// What a certificate shall say.
package struct CertificateOrder: Sendable {
    package let app: AppID
    package let device: DeviceID
    /// SubjectPublicKeyInfo (DER) of the certified key.
    package let publicKey: [UInt8]
    package let basis: CertificateBasis
    package let profile: CertificateProfile
    /// The request id of the verdict, 16 bytes; empty if there was none.
    package let requestID: [UInt8]
    /// For a certificate of a fleet's device.
    package let fleet: FleetStatement?

    package init(
        app: AppID, device: DeviceID, publicKey: [UInt8], basis: CertificateBasis, profile: CertificateProfile,
        requestID: [UInt8] = [], fleet: FleetStatement? = nil
    ) {
        (self.app, self.device, self.publicKey, self.basis) = (app, device, publicKey, basis)
        (self.profile, self.requestID, self.fleet) = (profile, requestID, fleet)
    }
}

/// How an app's certificates look, as the configuration says.
///
/// The templates of a fleet may have `{serial}` and `{family}`, which other devices do not have.
package struct CertificateProfile: Hashable, Sendable {
    /// In milliseconds. A certificate never outlives its CA.
    package var validity: Int64 = 365 * 86_400_000
    package var commonName: NameTemplate = "{device}"
    /// `nil`: the attribute is left out.
    package var organization: NameTemplate?
    package var organizationalUnit: NameTemplate?
    package var serialNumber: NameTemplate?
    /// Templates of URIs in the subjectAltName; empty: the extension is left out.
    package var alternativeNames: [NameTemplate] = ["assay://{app}/{device}"]
    /// Where the CRL is published; `nil`: no CRL distribution point is written. `{ca}` stands for the CA's name.
    package var revocationListURL: NameTemplate?
    /// The arc of Assay's extension: see `docs/reference/certificates.md`.
    package var extensionArc = ExtensionArc.statement
    /// The purposes of extendedKeyUsage, by default for certificates that devices show to TLS servers; empty: the extension is left out.
    package var keyPurposes: [KeyPurpose] = [.clientAuthentication]

    package init() {}
}

/// The statements in a fleet certificate: extensions `arc.1` to `arc.6`, raw bytes in extnValue.
package struct FleetStatement: Hashable, Sendable {
    package var arc: ExtensionArc
    /// The serial number of the device, which the templates name.
    package var serial: String
    package var manufacturer: String
    package var validationEndpoint: String
    /// 60 bytes: ciphertext, tag, nonce.
    package var sealedSecret: [UInt8]
    package var table: UInt16
    package var keyIndex: UInt16
    package var family: String

    package init(
        arc: ExtensionArc = .fleet, serial: String, manufacturer: String, validationEndpoint: String,
        sealedSecret: [UInt8],
        table: UInt16, keyIndex: UInt16, family: String
    ) {
        (self.arc, self.serial, self.manufacturer, self.validationEndpoint) = (arc, serial, manufacturer, validationEndpoint)
        (self.sealedSecret, self.table, self.keyIndex, self.family) = (sealedSecret, table, keyIndex, family)
    }
}

/// A certificate that is signed, and not yet in the registry.
package struct SignedCertificate: Hashable, Sendable {
    package let certificate: DeviceCertificate
    /// The CA's certificates (DER), the issuer first, without the device's own.
    package let chain: [[UInt8]]

    package init(certificate: DeviceCertificate, chain: [[UInt8]]) { (self.certificate, self.chain) = (certificate, chain) }
}

/// A CA of the configuration.
package struct AuthorityFacts: Hashable, Sendable {
    /// What a CA does at an instant.
    package enum State: String, Hashable, Sendable {
        /// Published, and does not sign yet.
        case next
        /// Signs new certificates.
        case signing
        /// Signs its revocation list only.
        case retiring
        /// Its certificate has ended: signs nothing.
        case ended
    }

    /// The name in the configuration.
    package let name: String
    /// SHA-256 of its SubjectPublicKeyInfo, 32 bytes.
    package let issuer: [UInt8]
    /// DER: its certificate first, then those above it.
    package let chain: [[UInt8]]
    package let notAfter: Timestamp
    package let state: State
    /// Why it cannot sign now; `nil` if it can.
    package let problem: String?

    package init(
        name: String, issuer: [UInt8], chain: [[UInt8]], notAfter: Timestamp, state: State, problem: String? = nil
    ) {
        (self.name, self.issuer, self.chain, self.notAfter) = (name, issuer, chain, notAfter)
        (self.state, self.problem) = (state, problem)
    }
}

/// What a revocation list says (RFC 5280 §5.1).
package struct RevocationListContent: Hashable, Sendable {
    /// The CRL number (§5.2.3): greater than that of every list of this CA before.
    package let number: Int64
    package let thisUpdate: Timestamp
    package let nextUpdate: Timestamp
    /// In the order of their serial numbers.
    package let revoked: [RevokedCertificate]

    package init(number: Int64, thisUpdate: Timestamp, nextUpdate: Timestamp, revoked: [RevokedCertificate]) {
        (self.number, self.thisUpdate, self.nextUpdate, self.revoked) = (number, thisUpdate, nextUpdate, revoked)
    }
}

/// Nothing was signed.
package enum AuthorityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The configuration has no CA that signs at this time.
    case noSigningAuthority
    /// The key cannot be used now: the token is gone, or does not answer. A sentence gives the reason.
    case unavailable(String)
    /// The order cannot be met, such as a name that is too long.
    case impossible(String)

    package var description: String {
        switch self {
        case .noSigningAuthority: "no CA signs at this time"
        case .unavailable(let why): "the CA's key cannot be used now: \(why)"
        case .impossible(let why): "the certificate cannot be made: \(why)"
        }
    }
}
