/// The places of signed results in the published status lists (draft-ietf-oauth-status-list).
///
/// A place belongs to a device and an audience, not to one token: every token of the device for the audience names it, so most verdicts write nothing.
/// Two audiences see two places, which nothing connects. What a place says is derived from the registry when a list is made, so a block is never
/// written twice: a device that is blocked (itself, its subject or its key) is suspended, one that is no longer registered is invalid, and so is one
/// that `setInvalid` named. A place is kept until the instant that was asked for, whatever becomes of its device; `LedgerMaintenance.purge` forgets it then.
public protocol ResultStatusRegistry: Sendable {
    /// The place for each request, in order. One is given out where the device has none for the audience that is kept at `now`. It is kept at least
    /// until the request's `until`, and no position of a list is ever given out again. A place that is kept that long already costs one read and
    /// no write, so a caller that asks for more than the token needs asks for nothing the next time. Durable on return.
    func statusPlaces(
        _ requests: [ResultStatusRequest], at now: Timestamp
    ) async throws(LedgerError) -> [ResultStatusPlace]

    /// The lists that have places, in order.
    func statusLists() async throws(LedgerError) -> [ResultStatusList]

    /// What the kept places of a list say, in the order of their positions, at most ``ResultStatusPlace/listSize``; without those that are valid.
    /// It says at least what it said at any revision of the list that was read before.
    func statusEntries(ofList list: UInt32, at now: Timestamp) async throws(LedgerError) -> [ResultStatusEntry]

    /// Says that the places of a registered device are invalid, as a judgement of the device failed, or takes that back. Durable on return.
    ///
    /// - Returns: whether that was new; false too if the device is not registered.
    @discardableResult
    func setInvalid(_ isInvalid: Bool, _ device: DeviceID) async throws(LedgerError) -> Bool
}

extension ResultStatusRegistry {
    /// The place of one device for one audience.
    public func statusPlace(
        of device: DeviceID, for audience: [UInt8], until: Timestamp, at now: Timestamp
    ) async throws(LedgerError) -> ResultStatusPlace {
        let request = ResultStatusRequest(device: device, audience: audience, until: until)
        guard let place = try await statusPlaces([request], at: now).first else {
            throw .corrupt("a request for a place in a status list has no answer")
        }
        return place
    }
}

/// A question for a place.
public struct ResultStatusRequest: Hashable, Sendable {
    public let device: DeviceID
    /// SHA-256 over the issuer and the audience, 32 bytes.
    public let audience: [UInt8]
    /// The place is kept until then: not before the last token that names it ends.
    public let until: Timestamp

    public init(device: DeviceID, audience: [UInt8], until: Timestamp) {
        (self.device, self.audience, self.until) = (device, audience, until)
    }
}

/// A place in the published lists, before the permutation that hides the order in which places were given out.
public struct ResultStatusPlace: Hashable, Sendable {
    /// The places of one list.
    public static let listSize: UInt32 = 131_072

    /// From 0 on. Once all positions of a list were given out, the next list begins.
    public let list: UInt32
    /// Below ``listSize``, in the order of giving out.
    public let position: UInt32

    public init(list: UInt32, position: UInt32) { (self.list, self.position) = (list, position) }

    /// The place that is given out after `count` others.
    package init(number count: Int64) {
        let size = Int64(Self.listSize)
        (list, position) = (UInt32(clamping: count / size), UInt32(clamping: count % size))
    }
}

/// A list that has places.
public struct ResultStatusList: Hashable, Sendable {
    public let number: UInt32
    /// Grows whenever what the list says may have changed, and never goes back. That a place of a valid device was given out changes nothing
    /// that the list says, and neither does time alone: a place that is kept no longer is not named any more.
    public let revision: Int64

    public init(_ number: UInt32, revision: Int64) { (self.number, self.revision) = (number, revision) }
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
