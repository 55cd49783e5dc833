package import AssayCore

/// How the receipts of one app and environment are exchanged.
package struct ReceiptExchangeRoute: Sendable {
    /// The default interval between exchanges of a receipt, in milliseconds: a week.
    package static let usualPeriod: Int64 = 7 * 86_400_000
    /// The longest interval: Apple deletes data that was not requested for a month.
    package static let longestPeriod: Int64 = 30 * 86_400_000

    package let queue: ReceiptQueue
    package let address: VendorAddress
    package let teamID: String
    package let token: AppleTeamToken
    /// Whether the token is sent after `Bearer`. Apple's page shows it alone.
    package let isBearer: Bool
    /// In milliseconds.
    package let period: Int64
    package let reader: any ReceiptReader

    package init(
        queue: ReceiptQueue, address: VendorAddress, teamID: String, token: AppleTeamToken, isBearer: Bool = false,
        period: Int64 = usualPeriod, reader: any ReceiptReader
    ) {
        (self.queue, self.address, self.teamID, self.token) = (queue, address, teamID, token)
        (self.isBearer, self.period, self.reader) = (isBearer, period, reader)
    }

    /// Routes with the same name share an account and a host, so that a failure of one is a failure of the others.
    var account: String { "\(teamID) at \(address.host)" }

    /// `POST /v1/attestationData` with the Base64 of the receipt as its body.
    func request(_ receipt: [UInt8], token: String) -> VendorRequest {
        VendorRequest(
            .post, "/v1/attestationData", headers: [("authorization", isBearer ? "Bearer " + token : token)],
            body: Array(Base64.standard.encode(receipt).utf8))
    }
}

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
