/// The places of signed results in the published status lists (draft-ietf-oauth-status-list).
///
/// A place belongs to a device and an audience, not to one token: every token of the device for the audience names it, so most verdicts write nothing. Two
/// audiences see two places, which nothing connects. What a place says is derived from the registry when a list is made, so a block is never written
/// twice: a device that is blocked (itself, its subject or its key) is suspended, one that is no longer registered is invalid, and so is one that
/// `setInvalid` named.
public protocol ResultStatusRegistry: Sendable {
    /// The place of a device for an audience. One is given out if it has none. It is kept at least until `until`, and belongs to no other device before
    /// that. Durable on return.
    ///
    /// - Parameter audience: SHA-256 over the issuer and the audience, 32 bytes.
    func statusPlace(
        of device: DeviceID, for audience: [UInt8], until: Timestamp, at now: Timestamp
    ) async throws(LedgerError) -> ResultStatusPlace

    /// What the kept places of a list say, in the order of their positions, at most ``ResultStatusPlace/listSize``; without those that are valid.
    func statusEntries(ofList list: UInt32, at now: Timestamp) async throws(LedgerError) -> [ResultStatusEntry]

    /// The lists that have kept places, and a number that grows whenever what one of them says may have changed.
    func statusLists(at now: Timestamp) async throws(LedgerError) -> ResultStatusLists

    /// Says for good that the places of a device are invalid, or takes that back: a judgement of the registered device failed, or passed since.
    func setInvalid(_ isInvalid: Bool, _ device: DeviceID) async throws(LedgerError)

    /// Forgets places that are kept until before `now`. Positions of a list are given out again only in a new list.
    ///
    /// - Returns: how many were forgotten.
    func purgeStatusPlaces(at now: Timestamp, limit: Int) async throws(LedgerError) -> Int
}

/// A place in the published lists, before the permutation that hides the order in which places were given out.
public struct ResultStatusPlace: Hashable, Sendable {
    /// The places of one list.
    public static let listSize: UInt32 = 131_072

    /// From 0 on.
    public let list: UInt32
    /// Below ``listSize``, in the order of giving out.
    public let position: UInt32

    public init(list: UInt32, position: UInt32) { (self.list, self.position) = (list, position) }
}

/// A place that is not valid.
public struct ResultStatusEntry: Hashable, Sendable {
    /// Raw values are those of the Status Types registry.
    public enum Status: UInt8, Hashable, Sendable {
        case invalid = 1
        case suspended = 2
    }

    public let position: UInt32
    public let status: Status

    public init(position: UInt32, status: Status) { (self.position, self.status) = (position, status) }
}

public struct ResultStatusLists: Hashable, Sendable {
    /// In order.
    public let lists: [UInt32]
    public let revision: Int64

    public init(lists: [UInt32], revision: Int64) { (self.lists, self.revision) = (lists, revision) }
}
