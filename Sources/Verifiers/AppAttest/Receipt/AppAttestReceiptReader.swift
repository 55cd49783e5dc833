import AssayCore
import AssayVendors

/// Reads App Attest receipts for the exchange, which knows no verifier.
struct AppAttestReceiptReader: ReceiptReader {
    let verifier: ReceiptVerifier

    func stored(by device: Device) throws(Rejection) -> ReceiptFacts {
        try facts(of: device.registration.receipt, device, kind: nil, .stored)
    }

    func exchanged(_ receipt: [UInt8], for device: Device, at now: Timestamp) throws(Rejection) -> ReceiptFacts {
        try facts(of: receipt, device, kind: .receipt, .arriving(now))
    }

    private func facts(
        of receipt: [UInt8], _ device: Device, kind: Receipt.Kind?, _ moment: ReceiptMoment
    ) throws(Rejection) -> ReceiptFacts {
        let registration = device.registration
        guard case .bytes(let rpIDHash)? = registration.claims["rp_id_hash"],
            let environment = AppAttestEnvironment(bytesOf: registration.environment)
        else { throw Rejection(.unknownDevice, "the device is none of App Attest") }
        let judged = verifier.appraise(
            receipt[...],
            against: ReceiptExpectation(
                rpIDHash: rpIDHash, publicKey: registration.publicKey, kind: kind, environment: environment),
            moment)
        if let rejection = judged.failure?.rejection { throw rejection }
        // A test authority vouches for simulated devices only.
        guard !judged.simulated || registration.simulated else {
            throw Rejection(.untrustedRoot, "a test root vouches for the receipt of a device that is not simulated")
        }
        guard let created = judged.claims.time("creation_time"), let expires = judged.claims.time("expiration_time") else {
            throw Rejection(.malformedReceipt, "the receipt does not say when it was made and when it expires")
        }
        return ReceiptFacts(
            createdAt: created, notBefore: judged.claims.time("not_before"), expiresAt: expires,
            riskMetric: judged.claims.integer("risk_metric"))
    }
}

extension Claims {
    fileprivate func time(_ name: String) -> Timestamp? {
        if case .time(let value)? = self[name] { value } else { nil }
    }
}
