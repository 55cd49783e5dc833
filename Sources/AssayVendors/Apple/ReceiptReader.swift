package import AssayCore

/// Reads receipts for the exchange, which does not know their format.
package protocol ReceiptReader: Sendable {
    /// Reads the stored receipt. Throws if it must not be sent: it cannot be verified, or does not belong to the device.
    func stored(by device: Device) throws(Rejection) -> ReceiptFacts

    /// Reads a receipt that the service returned for the stored one. Throws unless it is verified now, belongs to the device's
    /// app, key and environment, and is of the service's kind.
    func exchanged(_ receipt: [UInt8], for device: Device, at now: Timestamp) throws(Rejection) -> ReceiptFacts
}

/// The receipt fields that scheduling needs.
package struct ReceiptFacts: Hashable, Sendable {
    package let createdAt: Timestamp
    /// Before this time the service returns no newer receipt; `nil` if it is not stated.
    package let notBefore: Timestamp?
    /// From this time on the service refuses the receipt.
    package let expiresAt: Timestamp
    /// `nil` in a receipt from an attestation.
    package let riskMetric: Int64?

    package init(createdAt: Timestamp, notBefore: Timestamp?, expiresAt: Timestamp, riskMetric: Int64?) {
        (self.createdAt, self.notBefore) = (createdAt, notBefore)
        (self.expiresAt, self.riskMetric) = (expiresAt, riskMetric)
    }
}
