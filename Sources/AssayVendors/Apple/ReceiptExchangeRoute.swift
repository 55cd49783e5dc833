package import AssayCore

/// The way on which the receipts of one app and environment are exchanged.
package struct ReceiptExchangeRoute: Sendable {
    /// How often a receipt is exchanged unless the configuration says otherwise, in milliseconds: a week.
    package static let usualPeriod: Int64 = 7 * 86_400_000
    /// The longest: Apple keeps data for a month, and gives nothing for what was not asked about in it.
    package static let longestPeriod: Int64 = 30 * 86_400_000

    package let queue: ReceiptQueue
    package let address: VendorAddress
    package let teamID: String
    package let token: AppleTeamToken
    /// Whether the token is sent behind `Bearer`. Apple's page shows it bare.
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

    /// Lanes of one name have one account at one host, so that what is wrong on one is wrong on the others.
    var account: String { "\(teamID) at \(address.host)" }

    /// `POST /v1/attestationData` with the Base64 of the receipt and nothing else.
    func request(_ receipt: [UInt8], token: String) -> VendorRequest {
        VendorRequest(
            .post, "/v1/attestationData", headers: [("authorization", isBearer ? "Bearer " + token : token)],
            body: Array(Base64.standard.encode(receipt).utf8))
    }
}
