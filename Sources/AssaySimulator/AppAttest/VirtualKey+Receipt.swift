public import AssayCore
import Crypto

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
