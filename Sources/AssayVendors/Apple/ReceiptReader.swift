package import AssayCore

/// Reads receipts for the exchange, which knows nothing of their form.
package protocol ReceiptReader: Sendable {
    /// The receipt on record. Throws if it is not good enough to be sent: it does not verify, or is not the device's.
    func stored(by device: Device) throws(Rejection) -> ReceiptFacts

    /// A receipt that the service gave for the one on record. Throws unless it verifies now, is of the device's app, key and
    /// environment, and of the kind that the service gives.
    func exchanged(_ receipt: [UInt8], for device: Device, at now: Timestamp) throws(Rejection) -> ReceiptFacts
}

/// What of a receipt the exchange goes by.
package struct ReceiptFacts: Hashable, Sendable {
    package let createdAt: Timestamp
    /// Before this the service gives no newer one; `nil` where it does not say.
    package let notBefore: Timestamp?
    /// From then on the service takes it no more.
    package let expiresAt: Timestamp
    /// `nil` in a receipt that came with an attestation.
    package let riskMetric: Int64?

    package init(createdAt: Timestamp, notBefore: Timestamp?, expiresAt: Timestamp, riskMetric: Int64?) {
        (self.createdAt, self.notBefore) = (createdAt, notBefore)
        (self.expiresAt, self.riskMetric) = (expiresAt, riskMetric)
    }
}
