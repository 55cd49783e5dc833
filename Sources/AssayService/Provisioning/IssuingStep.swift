import AssayAPI
import AssayCore
import Crypto
import SwiftProtobuf

/// Issues a certificate on an accepted request: `Provisioning.Issue` and `Provisioning.Renew`.
///
/// The key to be certified is tied to the evidence in one of two ways. A platform that attests keys which can sign a certificate signing
/// request attests this very key (`attested`). Of other platforms, and for a renewal, the device signs the request: it is the payload
/// of the client data (`vouched`).
struct IssuingStep: AcceptanceStep {
    /// The key that the caller asks a certificate for.
    enum RequestedKey: Hashable, Sendable {
        /// A PKCS#10 request (DER).
        case csr([UInt8])
        /// A SubjectPublicKeyInfo (DER).
        case bare([UInt8])
    }

    let method: String
    let key: RequestedKey
    let rule: IssuingRule
    /// The fleet whose devices the app's certificates may be renewed for; `nil`: the app has none.
    let fleet: Fleet?
    let authority: any CertificateAuthority
    let ledger: any CertificateFacts & EnrolmentRegistry

    var digest: [UInt8] {
        var hash = FieldDigest("assay.issuing.v1")
        switch key {
        case .csr(let bytes):
            hash.append("csr")
            hash.append(bytes)
        case .bare(let bytes):
            hash.append("key")
            hash.append(bytes)
        }
        return hash.finalize()
    }

    func perform(on decided: DecidedRequest) async throws(StageError) -> AcceptanceResult {
        guard let device = decided.device else {
            throw .refused(
                Rejection(.evidenceMissing, "the evidence neither registers a device nor comes from a registered one"),
                check: "device")
        }
        // By index, here and below: an iterator would copy each appraisal, which is long.
        let appraisals = decided.appraisals
        for index in appraisals.indices {
            guard let plugin = appraisals[index].plugin, !rule.plugins.contains(plugin) else { continue }
            throw .refused(
                Rejection(.formatNotAccepted, "no certificate is issued on the judgement of the plugin \(plugin)"),
                check: "plugin")
        }
        let requested = try Self.checking("csr") { () throws(Rejection) in try requestedKey() }
        let publicKey = requested.publicKey
        let protection = try Self.checking("key") { () throws(Rejection) -> KeyProtection in
            try self.protection(of: publicKey, decided)
        }
        let order =
            if device.registration.format == .fleetDevice {
                try await fleetOrder(for: device, requested, protection, decided)
            } else {
                try order(for: device, publicKey, protection, decided)
            }
        let signed: SignedCertificate
        do throws(AuthorityError) {
            signed = try await authority.issue(order, at: decided.prepared.admitted.now)
                .renewed(from: decided.changes.restsOn)
        } catch {
            throw .failed(.issuing(error))
        }
        var findings: [Finding] = [
            .pass("csr"), .pass("key"), .note("key", protection.findingCode, protection.sentence), .pass("assurance"),
        ]
        findings.insert(contentsOf: requested.quirks.map { .note("csr", $0.rawValue, $0.sentence) }, at: 1)
        let verdict = decided.verdict.adding(findings)
        return AcceptanceResult(
            verdict: verdict, certificate: signed.certificate, message: signed.serialized(on: verdict, repeated: false),
            repetition: { signed.serialized(on: verdict, repeated: true) })
    }

    func isSimulated(_ message: [UInt8]) -> Bool {
        (try? Assay_V1_IssueCertificateResponse(serializedBytes: message))?.verdict.simulated ?? true
    }

    // MARK: The key

    /// A CSR proves possession of the key.
    private func requestedKey() throws(Rejection) -> AssayCore.RequestedKey {
        switch key {
        case .csr(let bytes): return try authority.requestedKey(bytes)
        case .bare(let bytes): return try authority.requestedKey(bare: bytes)
        }
    }

    /// How the key is tied to the evidence.
    private func protection(of publicKey: [UInt8], _ decided: DecidedRequest) throws(Rejection) -> KeyProtection {
        // All pieces speak for one key, if several speak for one.
        let attesting = decided.appraisals.indices.first { decided.appraisals[$0].certifiableKey != nil }
        if let attested = attesting.flatMap({ decided.appraisals[$0].certifiableKey }) {
            guard attested == SHA256.bytes(of: publicKey) else {
                throw Rejection(.csrKeyMismatch, "the evidence speaks for another key")
            }
            return .attested
        }
        guard case .csr(let csr) = key else {
            throw Rejection(.possessionNotProven, "the platform does not attest the key, so that a CSR is needed")
        }
        guard decided.prepared.binding.payloadHash == SHA256.bytes(of: csr) else {
            throw Rejection(.csrNotBound, "the payload in the client data is not the SHA-256 of the CSR")
        }
        return .vouched
    }

    // MARK: The order

    private func order(
        for device: Device, _ publicKey: [UInt8], _ protection: KeyProtection, _ decided: DecidedRequest
    ) throws(StageError) -> CertificateOrder {
        let assurance = try Self.checking("assurance") { () throws(Rejection) -> Assurance in
            try self.assurance(of: decided, protection)
        }
        return CertificateOrder(
            app: device.app, device: device.id, publicKey: publicKey,
            basis: basis(of: device, assurance, protection, decided), profile: rule.profile,
            requestID: decided.prepared.admitted.requestID)
    }

    func basis(
        of device: Device, _ assurance: Assurance, _ protection: KeyProtection, _ decided: DecidedRequest
    ) -> CertificateBasis {
        CertificateBasis(
            assurance: assurance, protection: protection, platform: device.registration.format,
            policyDigest: decided.verdict.policyDigest, simulated: decided.verdict.simulated)
    }

    private func assurance(of decided: DecidedRequest, _ protection: KeyProtection) throws(Rejection) -> Assurance {
        var assurance = decided.assurance
        if protection == .vouched {
            guard let ceiling = rule.vouchedCeiling else {
                throw Rejection(.assuranceTooLow, "the app certifies keys only that the platform attests")
            }
            assurance = min(assurance, ceiling)
        }
        guard assurance >= rule.leastAssurance else {
            throw Rejection(
                .assuranceTooLow,
                "the certificate would have \(assurance.name), and the app demands \(rule.leastAssurance.name)")
        }
        return assurance
    }

    static func checking<T>(_ check: String, _ step: () throws(Rejection) -> T) throws(StageError) -> T {
        do throws(Rejection) { return try step() } catch { throw .refused(error, check: check) }
    }
}

extension SignedCertificate {
    /// The same, on record as renewed from another certificate, if there is one.
    fileprivate func renewed(from origin: CertificateName?) -> SignedCertificate {
        var certificate = certificate
        certificate.renewedFrom = origin
        return SignedCertificate(certificate: certificate, chain: chain)
    }
}

extension KeyProtection {
    fileprivate var findingCode: String {
        switch self {
        case .attested: "key_attested"
        case .vouched: "key_vouched"
        case .provisioned: "key_provisioned"
        case .generated: "key_generated"
        }
    }

    fileprivate var sentence: String {
        switch self {
        case .attested: "the platform attested the certified key"
        case .vouched: "an attested or certified key vouches for the certified key"
        case .provisioned: "a provisioning service vouches for the device"
        case .generated: "Assay made the certified key"
        }
    }
}
