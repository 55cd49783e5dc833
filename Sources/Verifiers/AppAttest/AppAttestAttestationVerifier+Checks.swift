import AssayCertificates
import AssayCore
import AssayEncoding
import Crypto

/// The checks in documented order. `docs/reference/verifiers/app-attest.md` has their numbers.
extension AppAttestAttestationVerifier {
    /// A0 to A4, after the size: key id, CBOR, format, number of certificates, receipt.
    func readObject(_ evidence: BoundedEvidence, _ appraisal: inout Appraisal) throws(Rejection) -> AttestationObject {
        // The class of the code asks for no new key: its id would be passed in the same way.
        try appraisal.check("key_id_form") { () throws(Rejection) in
            if let fault = KeyIDForm.fault(of: evidence.keyID) { throw Rejection(.keyIDMismatch, fault) }
        }
        let object = try appraisal.check("cbor") { () throws(Rejection) in try AttestationObject(parsing: evidence.body[...]) }
        if object.hasUnsignedCDHash {
            appraisal.note("cbor", "unsigned_cd_hash", "a cdHash member that nothing signs was ignored")
        }
        try appraisal.require(
            "format", object.format.spells("apple-appattest"), else: .wrongFormat, object.formatSentence)
        try appraisal.check("x5c") { () throws(Rejection) in
            try UnverifiedChain.checkLength(object.certificates.count, profile: Self.chainProfile)
        }
        try appraisal.require("receipt", !object.receipt.isEmpty, else: .receiptMissing, "the receipt is missing or empty")
        return object
    }

    /// A5 to A9: certificates, names, constraints, algorithms, anchor, validity, signatures.
    func validateChain(
        _ object: AttestationObject, at now: Timestamp, _ appraisal: inout Appraisal
    ) throws(Rejection) -> ValidatedChain {
        try appraisal.requirePassed("x5c")
        let unverified = try appraisal.check("certificates") { () throws(Rejection) in
            try UnverifiedChain(parsing: object.certificates, profile: Self.chainProfile, links: validator.links)
        }
        let chain = try validator.validate(unverified, at: now) { (step, run) throws(Rejection) in
            try appraisal.check(step.rawValue, run)
        }
        if !chain.authorities.dropFirst().isEmpty {
            appraisal.note("x5c", "longer_chain", "more than the two certificates that App Attest is known to send")
        }
        appraisal.simulated = chain.anchor.simulated
        return chain
    }

    /// A10 and A11: the leaf binds authenticator data and client data; the key id is that of the leaf's key.
    func checkBinding(
        _ evidence: BoundedEvidence, _ object: AttestationObject, _ chain: ValidatedChain, _ binding: Binding,
        _ appraisal: inout Appraisal
    ) throws(Rejection) {
        try appraisal.check("nonce") { () throws(Rejection) in
            let certified = try NonceExtension(chain.leaf.value(of: NonceExtension.oid))
            let nonce = AttestedNonce(authenticatorData: object.authenticatorData, clientDataHash: binding.clientDataHash)
            guard nonce.equals(certified.nonce) else {
                let nonces = ComparedBytes(certified.nonce, expected: Array(nonce.digest))
                throw Rejection(
                    .nonceMismatch,
                    "the certificate has the nonce \(nonces.found), expected \(nonces.expected), "
                        + "over the client data whose SHA-256 is \(Hex.short(binding.clientDataHash))"
                        + object.cause(ofNonce: certified.nonce, under: binding))
            }
        }
        try appraisal.check("key_id") { () throws(Rejection) in
            let digest = SHA256.bytes(of: chain.leaf.publicKey.keyBytes)
            guard digest != evidence.keyID else { return }
            let ids = ComparedBytes(evidence.keyID, expected: digest)
            throw Rejection(.keyIDMismatch, "the key id is \(ids.found), the digest of the certified key \(ids.expected)")
        }
    }

    /// A12, and the claims that do not depend on later checks.
    func readAuthenticatorData(
        _ evidence: BoundedEvidence, _ object: AttestationObject, _ chain: ValidatedChain, _ appraisal: inout Appraisal
    ) throws(Rejection) -> AttestedData {
        let (data, credential) = try appraisal.check("auth_data") { () throws(Rejection) in
            try AuthenticatorData.attestation(object.authenticatorData)
        }
        var claims = Claims()
        claims.reserveCapacity(28)
        claims.add("rp_id_hash", .bytes(Array(data.rpIDHash)))
        claims.add("environment", AppAttestEnvironment(aaguid: credential.aaguid).map { .text($0.rawValue) })
        claims.add("key_id", .bytes(evidence.keyID))
        claims.add("public_key_x963", .bytes(Array(chain.leaf.publicKey.keyBytes)))
        claims.add("sign_count", .integer(Int64(data.signCount)))
        claims.add("flags", .integer(Int64(data.flags.rawValue)))
        claims.add("credential_id", .bytes(Array(credential.id)))
        claims.add("leaf_not_before", .time(chain.leaf.validity.notBefore))
        claims.add("leaf_not_after", .time(chain.leaf.validity.notAfter))
        let system = PlatformInfoExtension(chain.leaf.value(of: PlatformInfoExtension.oid))
        claims.add("os_version", system.osVersion.map { .text($0) })
        claims.add("os_build", system.osBuild.map { .text($0) })
        claims.add("receipt_sha256", .bytes(SHA256.bytes(of: object.receipt)))
        claims.add("receipt_length", .integer(Int64(object.receipt.count)))
        appraisal.claims = claims
        return AttestedData(
            data: data, credential: credential, keyID: evidence.keyID, receipt: object.receipt)
    }

    /// A13 to A18: app, flags, counter, environment, credential.
    func checkAttested(
        _ attested: AttestedData, _ chain: ValidatedChain, _ appraisal: inout Appraisal
    ) throws(Rejection) -> (AppAttestIdentity, AppAttestEnvironment) {
        let (data, credential) = (attested.data, attested.credential)
        let identity = try appraisal.attempt("app_id") { () throws(Rejection) in
            guard let identity = identities.named(data.rpIDHash) else {
                throw Rejection(
                    .appIDMismatch,
                    "the App ID \(attested.shownAppID) is none of those configured: \(identities.shown)")
            }
            return identity
        }
        appraisal.claims.add("app_id", identity?.appID.map { .text($0) })
        appraisal.claims.add("platform", identity.map { .text($0.platform.rawValue) })
        try appraisal.require("flags", data.flags.contains(.attestedCredential), else: .flagsInvalid, "the AT flag is not set")
        try appraisal.require("counter", data.signCount == 0, else: .counterNotZero, "the counter is \(data.signCount), want 0")
        let environment = try appraisal.attempt("environment") { () throws(Rejection) in
            guard let environment = AppAttestEnvironment(aaguid: credential.aaguid) else {
                throw Rejection(
                    .environmentMismatch, "the AAGUID \(Hex.encode(credential.aaguid)) is that of no environment")
            }
            // Of an app that is not known no environment is expected.
            if let identity, !identity.environments.contains(environment) {
                throw Rejection(
                    .environmentMismatch,
                    "the key is of the \(environment.rawValue) environment, the app allows \(identity.environments.shown)")
            }
            return environment
        }
        try appraisal.check("credential_id") { () throws(Rejection) in
            guard !credential.id.elementsEqual(attested.keyID) else { return }
            let ids = ComparedBytes(credential.id, expected: attested.keyID)
            throw Rejection(.credentialIDMismatch, "the credential id is \(ids.found), the key id \(ids.expected)")
        }
        try appraisal.check("credential_key") { () throws(Rejection) in
            guard try COSEKey(credential.key).isPoint(chain.leaf.publicKey.keyBytes) else {
                throw Rejection(.credentialKeyMismatch, "the credential public key is not the certified key")
            }
        }
        // What follows depends on the app's platform and environment.
        guard let identity, let environment else { throw appraisal.failure?.rejection ?? ReasonCode.appIDMismatch.rejection }
        return (identity, environment)
    }

    /// A21: the access control list of a Mac's key.
    func checkAccessControl(
        _ leaf: Certificate, _ identity: AppAttestIdentity, _ appraisal: inout Appraisal
    ) throws(Rejection) {
        guard identity.platform == .macOS else {
            appraisal.findings.append(Finding(check: "access_control", outcome: .skipped))
            return
        }
        try appraisal.check("access_control") { () throws(Rejection) in
            try AccessControlExtension.requireMacOS(leaf.value(of: AccessControlExtension.oid))
        }
    }
}
