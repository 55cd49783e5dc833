package import AssayCore
package import AssayResults

/// Gives signed results the places in the published status lists that they name.
package protocol ResultStatusPlaces: Sendable {
    /// The place of a device for an audience, which is kept until the result has ended. Asked before each signature with status; most calls
    /// do not ask the ledger.
    ///
    /// - Parameter end: when the result ends, or when its status does if that is later.
    /// - Returns: what the result says in `status.status_list`; the same for every result of the device for the audience.
    func statusReference(
        of device: DeviceID, for audience: String, from issuer: ResultIssuer, until end: Timestamp
    ) async throws(LedgerError) -> ResultStatusReference
}
