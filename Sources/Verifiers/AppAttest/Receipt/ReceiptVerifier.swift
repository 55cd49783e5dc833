package import AssayCertificates
package import AssayCore
import AssayEncoding
import Crypto

/// Appraises a receipt: a CMS message of an Apple signer with the facts that Apple's service knows of a key (Apple, "Assessing
/// fraud risk"). Pure, like every verifier. The receipt accompanies the evidence and supports no assurance of its own; the
/// caller decides what follows from a failure.
package struct ReceiptVerifier: Sendable {
    /// In bytes. Receipts of 3.7 to 4.0 KB were seen.
    package static let sizeLimit = 16 * 1024

    /// Marks the signer's certificate. Apple does not document it; every receipt seen has it, and without this check any signer
    /// below Apple Root CA - G3 would pass.
    static let signerMarker = OID(1, 2, 840, 113_635, 100, 12, 15)

    /// Signer and intermediate, and the root if it is sent. One signer signs the receipts of a year.
    static let chainProfile = ChainProfile(
        lengths: 2...3, signatureAlgorithms: [.ecdsaWithSHA256, .ecdsaWithSHA384], leafKeys: [.p256],
        authorityKeys: [.p384, .p256], leafUsage: .digitalSignature, leafRecurs: true)

    private let validator: ChainValidator

    package init(anchors: [TrustAnchor], links: LinkCache) {
        validator = ChainValidator(anchors: anchors, profile: Self.chainProfile, links: links)
    }

    /// The checks in documented order (`docs/reference/verifiers/app-attest.md`). Nothing is claimed before the signature holds.
    package func appraise(
        _ bytes: ArraySlice<UInt8>, against expected: ReceiptExpectation, _ moment: ReceiptMoment,
        under examination: Examination? = nil
    ) -> Appraisal {
        judge(bytes, against: expected, moment, under: examination).0
    }

    /// The same, with the receipt if it could be read.
    ///
    /// - Parameter certificate: of the attestation with the receipt, if there is one: the receipt repeats it.
    func judge(
        _ bytes: ArraySlice<UInt8>, against expected: ReceiptExpectation, _ moment: ReceiptMoment,
        under examination: Examination? = nil, report: VerdictReport = .first, attested certificate: Certificate? = nil
    ) -> (Appraisal, Receipt?) {
        var read: Receipt?
        let appraisal = Appraisal.build(.appAttestReceipt, under: examination, report: report) {
            (appraisal) throws(Rejection) in
            appraisal.findings.reserveCapacity(20)
            try appraisal.require(
                "receipt_size", bytes.count <= Self.sizeLimit, else: .evidenceTooLarge, "a receipt of \(bytes.count) bytes")
            try appraisal.requireAllPassed()
            let message = try appraisal.check("receipt_cms") { () throws(Rejection) in
                try SignedData(parsing: bytes, links: validator.links)
            }
            // Read before it is authentic, for the time at which its certificates are checked.
            let receipt = try appraisal.check("receipt_payload") { () throws(Rejection) in
                try Receipt(payload: message.content, attested: certificate)
            }
            read = receipt
            try authenticate(message, created: receipt.creationTime, moment, &appraisal)
            try appraisal.requireAllPassed()
            // From here on every field is authenticated by Apple's signature.
            appraisal.claims = receipt.claims
            try compare(receipt, with: expected, &appraisal)
            try judgeTimes(receipt, expected, moment, &appraisal)
        }
        return (appraisal, read)
    }

    /// R2 to R4: chain, marker, signature.
    private func authenticate(
        _ message: SignedData, created: Timestamp, _ moment: ReceiptMoment, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        let unverified = try appraisal.check("receipt_certificates") { () throws(Rejection) in
            let chain = try message.signerChain(limit: Self.chainProfile.lengths.upperBound)
            let length = chain.authorities.count + 1
            try UnverifiedChain.checkLength(length, profile: Self.chainProfile)
            guard length == message.certificates.count else {
                throw Rejection(.badChain, "a certificate that is not of the signer's chain")
            }
            return chain
        }
        let time =
            switch moment {
            case .arriving(let now): now
            case .stored: created
            }
        let chain = try validator.validate(unverified, at: time) { (step, run) throws(Rejection) in
            try appraisal.check(step.ofReceipt, run)
        }
        try appraisal.require(
            "receipt_signer", chain.leaf.value(of: Self.signerMarker) != nil, else: .receiptSignerUnexpected,
            "the signer's certificate is not marked as one for receipts")
        try appraisal.check("receipt_signature") { () throws(Rejection) in try message.verify(by: chain.leafKey()) }
        if case .arriving = moment {
            try appraisal.check("receipt_chain_validity_at_creation") { () throws(Rejection) in
                try validator.checkValidity(of: chain, at: created)
            }
        }
        appraisal.simulated = chain.anchor.simulated
    }

    /// R6 to R8, R10 and R11: the receipt is of this app, this key, this kind, this environment, this attestation.
    private func compare(
        _ receipt: Receipt, with expected: ReceiptExpectation, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.compare("receipt_app_id", expected.rpIDHash) { expected throws(Rejection) in
            let found = SHA256.bytes(of: Array(receipt.appID.utf8))
            guard found != expected else { return }
            let hashes = ComparedBytes(found, expected: expected)
            throw Rejection(
                .appIDMismatch,
                "the receipt is for \(receipt.appID.shown), whose SHA-256 is \(hashes.found); the App ID's is \(hashes.expected)"
            )
        }
        try appraisal.compare("receipt_public_key", expected.publicKey) { expected throws(Rejection) in
            guard !receipt.publicKey.equals(expected[...]) else { return }
            let digests = ComparedBytes(SHA256.bytes(of: receipt.publicKey), expected: SHA256.bytes(of: expected))
            throw Rejection(
                .publicKeyMismatch,
                "the receipt is for the key \(digests.found), the attested one is \(digests.expected) (SHA-256 of the points)")
        }
        try appraisal.compare("receipt_type", expected.kind) { expected throws(Rejection) in
            guard receipt.kind != expected else { return }
            throw Rejection(
                .receiptTypeUnexpected, "the receipt is of the type \(receipt.type.shown), expected \(expected.rawValue)")
        }
        // Undocumented, so that a receipt may not state it.
        try appraisal.compare("receipt_environment", both(receipt.environment, expected.environment)) {
            environments throws(Rejection) in
            let (found, expected) = environments
            guard !found.hasBytes(of: expected.receiptName) else { return }
            throw Rejection(
                .environmentMismatch,
                "the receipt is of \(found.shown), that of the \(expected.rawValue) environment would be \(expected.receiptName)"
            )
        }
        let hash = receipt.kind == .attest ? expected.clientDataHash : nil
        try appraisal.compare("receipt_client_hash", hash) { expected throws(Rejection) in
            guard let found = receipt.clientHash else {
                throw Rejection(.receiptClientHashMismatch, "the receipt has no client data hash (field 4)")
            }
            guard !found.elementsEqual(expected) else { return }
            let hashes = ComparedBytes(found, expected: expected)
            throw Rejection(
                .receiptClientHashMismatch,
                "the receipt is for the client data hash \(hashes.found), expected \(hashes.expected)")
        }
    }

    private func both<A, B>(_ a: A?, _ b: B?) -> (A, B)? {
        guard let a, let b else { return nil }
        return (a, b)
    }

    /// R9 and R12: an arriving receipt is recent and not expired.
    private func judgeTimes(
        _ receipt: Receipt, _ expected: ReceiptExpectation, _ moment: ReceiptMoment, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        guard case .arriving(let now) = moment else { return }
        let skew = Self.chainProfile.skewMilliseconds
        try appraisal.require(
            "receipt_time", receipt.creationTime <= now.adding(milliseconds: skew), else: .timestampInFuture,
            "the receipt was made at \(receipt.creationTime)")
        try appraisal.require(
            "receipt_expiration", now <= receipt.expirationTime.adding(milliseconds: skew), else: .receiptExpired,
            "the receipt expired at \(receipt.expirationTime)")
        try appraisal.compare("receipt_age", expected.maxAgeMilliseconds) { most throws(Rejection) in
            let age = now.milliseconds(since: receipt.creationTime)
            guard age > most else { return }
            throw Rejection(
                .receiptTooOld,
                "the receipt was made at \(receipt.creationTime): \(DurationText.toTheSecond(age)) ago, at most "
                    + DurationText.exact(most))
        }
    }
}

extension Appraisal {
    /// Skips the check if nothing is expected.
    fileprivate mutating func compare<T>(
        _ name: String, _ expected: T?, _ step: (T) throws(Rejection) -> Void
    ) throws(Rejection) {
        guard let expected else { return skip(name) }
        try check(name) { () throws(Rejection) in try step(expected) }
    }
}

extension ChainValidator.Step {
    /// The name of the finding about a receipt's chain.
    fileprivate var ofReceipt: String {
        switch self {
        case .names: "receipt_chain_names"
        case .constraints: "receipt_chain_constraints"
        case .algorithms: "receipt_chain_algorithms"
        case .anchor: "receipt_chain_anchor"
        case .validity: "receipt_chain_validity"
        case .signatures: "receipt_chain_signatures"
        }
    }
}

extension AppAttestEnvironment {
    /// The environment's name in field 7 of a receipt.
    fileprivate var receiptName: String {
        switch self {
        case .development: "sandbox"
        case .production: "production"
        }
    }
}

/// The expected values of a receipt. A `nil` value is not compared.
package struct ReceiptExpectation: Sendable {
    /// SHA-256 of the App ID, as in authenticator data.
    package var rpIDHash: [UInt8]
    /// The attested key as an uncompressed X9.63 point.
    package var publicKey: [UInt8]?
    package var kind: Receipt.Kind?
    package var environment: AppAttestEnvironment?
    /// Compared with an ATTEST only: in a RECEIPT the hash was seen damaged by Apple's service.
    package var clientDataHash: [UInt8]?
    /// The greatest age of an arriving receipt, in milliseconds.
    package var maxAgeMilliseconds: Int64?

    package init(
        rpIDHash: [UInt8], publicKey: [UInt8]? = nil, kind: Receipt.Kind? = nil, environment: AppAttestEnvironment? = nil,
        clientDataHash: [UInt8]? = nil, maxAgeMilliseconds: Int64? = nil
    ) {
        self.rpIDHash = rpIDHash
        self.publicKey = publicKey
        self.kind = kind
        self.environment = environment
        self.clientDataHash = clientDataHash
        self.maxAgeMilliseconds = maxAgeMilliseconds
    }
}

/// The time at which a receipt is appraised. Its signer's certificate may expire before the receipt does, and soon after it.
package enum ReceiptMoment: Hashable, Sendable {
    /// At arrival: its certificates must be valid now and at its creation time, and it must be neither too old nor expired.
    case arriving(Timestamp)
    /// Stored since an earlier arrival: its certificates must have been valid at its creation time.
    case stored
}
