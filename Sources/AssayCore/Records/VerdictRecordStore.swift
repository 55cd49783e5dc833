/// Keeps verdict records for a while, within limits. Beyond them the oldest of the app with the most records are dropped, in groups.
///
/// It never delays or fails a verdict: `append` does not wait, and what cannot be kept is dropped and counted. Records are not durable: a crash
/// may lose the last ones. `VerdictRecordStoreContract` checks these promises.
package protocol VerdictRecordStore: Sendable {
    /// Queues records. Returns at once. What the queue cannot take is dropped and counted.
    func append(_ records: [VerdictRecord])

    /// One page of records, the newest first by their time. Every record that was appended before the call and not dropped is seen.
    func page(_ listing: VerdictRecordListing) async throws(VerdictRecordError) -> VerdictRecordPage

    /// Records whose request id begins with these bytes: at most two, because one is wanted.
    ///
    /// - Parameter prefix: 4 to 16 bytes.
    func records(_ prefix: [UInt8], in scope: VerdictRecordScope) async throws(VerdictRecordError) -> [VerdictRecord]

    /// Puts limits in force and drops what exceeds them. Returns at once.
    ///
    /// - Parameter now: for the limit of age.
    func keep(_ limits: VerdictRecordLimits, now: Timestamp)

    /// Does no I/O.
    var status: VerdictRecordStatus { get }

    /// Writes what is queued, and closes. Blocks. Later calls do nothing or throw.
    func close()
}

/// How much a store keeps.
package struct VerdictRecordLimits: Hashable, Sendable {
    package var rows: Int64 = 200_000
    /// Of the file, without its log.
    package var bytes: Int64 = 256 << 20
    /// In milliseconds.
    package var age: Int64 = 30 * 86_400_000

    package init() {}
}

/// Which records a caller may see.
package struct VerdictRecordScope: Hashable, Sendable {
    /// `nil`: of all apps.
    package var apps: Set<AppID>?
    /// `nil`: of all callers.
    package var caller: String?

    package init(apps: Set<AppID>? = nil, caller: String? = nil) { (self.apps, self.caller) = (apps, caller) }

    package func contains(app: AppID, caller name: String) -> Bool {
        (apps?.contains(app) ?? true) && (caller.map { $0.hasBytes(of: name) } ?? true)
    }
}

/// Selects records. A field that is `nil` selects all.
package struct VerdictRecordListing: Hashable, Sendable {
    package var scope = VerdictRecordScope()
    /// Records at this time or later.
    package var since: Timestamp?
    /// Records before this time.
    package var until: Timestamp?
    package var app: AppID?
    package var caller: String?
    package var device: DeviceID?
    /// The keyed hash.
    package var subject: [UInt8]?
    package var reason: String?
    package var decision: VerdictRecord.Decision?
    /// Only rejections that were answered ACCEPTED.
    package var wouldReject = false
    /// Where the page before ended.
    package var after: VerdictRecordPosition?
    /// The most records on the page.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }

    package func admits(_ record: VerdictRecord) -> Bool {
        let request = record.request
        guard scope.contains(app: request.app, caller: request.caller) else { return false }
        if let since, request.time < since { return false }
        if let until, request.time >= until { return false }
        if let app, request.app != app { return false }
        if let caller, !request.caller.hasBytes(of: caller) { return false }
        if let device, record.device != device { return false }
        if let subject, request.subject != subject { return false }
        if let decision, record.decision != decision { return false }
        if wouldReject, !record.wouldReject { return false }
        guard let reason else { return true }
        return record.reason?.code.hasBytes(of: reason) ?? false
    }
}

/// Orders records: by time, then by the number that the store gave them.
package struct VerdictRecordPosition: Hashable, Comparable, Sendable {
    package let time: Timestamp
    package let number: Int64

    package init(time: Timestamp, number: Int64) { (self.time, self.number) = (time, number) }

    package static func < (a: Self, b: Self) -> Bool { (a.time, a.number) < (b.time, b.number) }
}

package struct VerdictRecordPage: Hashable, Sendable {
    /// The newest first. May be few or none although more pages follow.
    package let records: [VerdictRecord]
    /// `nil`: this is the last page.
    package let next: VerdictRecordPosition?

    package init(records: [VerdictRecord], next: VerdictRecordPosition?) { (self.records, self.next) = (records, next) }
}

/// The state of a store.
package struct VerdictRecordStatus: Hashable, Sendable {
    package var rows: Int64 = 0
    /// Of the file, without its log.
    package var bytes: Int64 = 0
    /// Verdicts that records could not be kept of, since the start: the queue or the disk was full, or the store is unavailable.
    package var dropped: UInt64 = 0
    /// Why nothing is kept now; `nil` if records are.
    package var problem: String?
    /// When the daemon started that ended without closing the store: its last records may be missing. `nil`: the last end was clean.
    package var uncleanSince: Timestamp?

    package init() {}
}

/// Why records cannot be read.
package struct VerdictRecordError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
