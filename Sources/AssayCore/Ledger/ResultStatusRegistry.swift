/// The places of signed results in the published status lists (draft-ietf-oauth-status-list).
///
/// A place belongs to a device and an audience, not to one token: every token of the device for the audience names it, so most verdicts write nothing.
/// Two audiences see two places, which nothing connects. A place is kept until the instant that was asked for, whatever becomes of its device; the first
/// `LedgerMaintenance.purge` after it forgets the place.
///
/// What a place says is derived from the registry when a list is made, so that neither a block nor a revocation is written twice. A device is
/// - invalid, if it is no longer registered, if the certificate that was issued to it last is revoked, or if `setInvalid` named it;
/// - suspended, if it is blocked (itself, its subject or its key) and not invalid.
public protocol ResultStatusRegistry: Sendable {
    /// The place for each request, in order. One is given out where the device has none for the audience; requests that race for it get the same
    /// one. It is kept at least until the request's `until`, and its position of its list is never given out again. A place that is kept that long
    /// already costs one read and no write, so a caller that asks for more than its token needs asks for nothing the next time. Durable on
    /// return.
    func statusPlaces(_ requests: [ResultStatusRequest]) async throws(LedgerError) -> [ResultStatusPlace]

    /// The lists that have places, in order.
    func statusLists() async throws(LedgerError) -> [ResultStatusList]

    /// What the places of a list say, in the order of their positions, at most ``ResultStatusPlace/listSize``; without those that are valid. It is
    /// not older than any revision of the list that was read before.
    func statusEntries(ofList list: UInt32) async throws(LedgerError) -> [ResultStatusEntry]

    /// Says of registered devices that their places are invalid (`true`), those that are given out later too, as a judgement of the device failed; or takes
    /// that back (`false`). What a device has already is not written again. Durable on return.
    ///
    /// - Parameter judgements: at most some hundred. Devices that are not registered are left out.
    /// - Returns: of how many devices it was otherwise before.
    @discardableResult
    func setInvalid(_ judgements: [DeviceID: Bool]) async throws(LedgerError) -> Int
}

extension ResultStatusRegistry {
    /// Says it of one device, or takes it back.
    ///
    /// - Returns: whether it was otherwise before; false too if the device is not registered.
    @discardableResult
    public func setInvalid(_ isInvalid: Bool, _ device: DeviceID) async throws(LedgerError) -> Bool {
        try await setInvalid([device: isInvalid]) == 1
    }

    /// The place of one device for one audience.
    public func statusPlace(
        of device: DeviceID, for audience: [UInt8], until: Timestamp
    ) async throws(LedgerError) -> ResultStatusPlace {
        let request = ResultStatusRequest(device: device, audience: audience, until: until)
        guard let place = try await statusPlaces([request]).first else {
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
    /// The places of one list: 2 to the power of ``listBits``.
    public static let listSize: UInt32 = 1 << listBits
    package static let listBits: UInt32 = 17

    /// From 0 on. Once the positions of a list were given out, the next list begins.
    public let list: UInt32
    /// Below ``listSize``, in the order of giving out. Some may never be given out.
    public let position: UInt32

    public init(list: UInt32, position: UInt32) { (self.list, self.position) = (list, position) }

    /// The place by its number: places are numbered from 1 on, through all lists.
    package init(number: Int64) {
        let index = UInt64(clamping: number - 1)
        (list, position) = (UInt32(clamping: index >> Self.listBits), UInt32(index & UInt64(Self.listSize - 1)))
    }

    /// The numbers of the places of a list, in parts: what a whole list says takes a store half a second to read, and others wait to read too.
    package static func parts(ofList list: UInt32) -> [ClosedRange<Int64>] {
        let (before, size) = (Int64(list) << listBits, Int64(listSize >> 4))
        return (0..<16).map { (before + $0 * size + 1)...(before + ($0 + 1) * size) }
    }
}

/// A list that has places.
public struct ResultStatusList: Hashable, Sendable {
    public let number: UInt32
    /// Grows whenever what the list says may have changed, and never goes back. What a list says is the same as long as its revision is. That a
    /// place of a valid device was given out, or was forgotten, changes nothing that the list says.
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
