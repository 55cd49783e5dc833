/// Keeps recordings for a while, within limits for each app.
///
/// It never delays or fails a verdict: `append` does not wait, and what cannot be kept is dropped and counted. Recordings are not durable: a crash
/// may lose the last ones. A device that is forgotten has none any more, before the call returns.
package protocol RecordingStore: Sendable {
    /// Queues recordings. Returns at once. What the queue cannot take is dropped and counted.
    func append(_ recordings: [PendingRecording])

    /// One page, in the order of time. Every recording that was appended before the call and not dropped is seen.
    func recordings(_ listing: RecordingListing) async throws(VerdictRecordError) -> RecordingPage

    /// How many recordings a listing has from its beginning, whatever its page.
    func count(_ listing: RecordingListing) async throws(VerdictRecordError) -> UInt64

    /// Deletes what is recorded of a device, that which was appended before the call included. Returns how many recordings that concerned.
    ///
    /// - Parameter evidenceOnly: whether the evidence alone is deleted.
    func forget(_ device: DeviceID, of app: AppID, evidenceOnly: Bool) async throws(VerdictRecordError) -> UInt64

    /// Drops what is too old, and the oldest of each app beyond its limit. Returns at once.
    ///
    /// - Parameter limits: in bytes, of the apps that record.
    func keepRecordings(_ limits: [AppID: Int64], now: Timestamp)

    /// Does no I/O.
    var recordingStatus: RecordingStatus { get }
}

/// A recording that the store encodes on its own thread.
package struct PendingRecording: Sendable {
    package let app: AppID
    package let device: DeviceID?
    package let time: Timestamp
    /// When it is dropped.
    package let end: Timestamp
    /// What it takes while it waits, approximately, in bytes.
    package let weight: Int
    /// Encodes and encrypts.
    package let content: @Sendable () -> RecordingContent

    package init(
        app: AppID, device: DeviceID?, time: Timestamp, end: Timestamp, weight: Int,
        content: @escaping @Sendable () -> RecordingContent
    ) {
        (self.app, self.device, self.time, self.end) = (app, device, time, end)
        (self.weight, self.content) = (weight, content)
    }
}

/// The bytes of a recording.
package struct RecordingContent: Hashable, Sendable {
    /// The largest recording that is kept, in bytes: it fits into one answer.
    package static let limit = 512 << 10

    /// `Recording.encoded()`.
    package let recording: [UInt8]
    /// The evidence, encrypted by a key of its own.
    package var evidence: SealedEvidence?

    package init(recording: [UInt8], evidence: SealedEvidence? = nil) {
        (self.recording, self.evidence) = (recording, evidence)
    }

    package var size: Int { recording.count + (evidence.map { $0.key.count + $0.sealed.count } ?? 0) }
}

/// Encrypted evidence. Without the key, which lies beside it and is wrapped, it cannot be read.
package struct SealedEvidence: Hashable, Sendable {
    /// The key of this evidence alone, wrapped.
    package let key: [UInt8]
    /// Nonce, ciphertext and tag of AES-GCM.
    package let sealed: [UInt8]
    package init(key: [UInt8], sealed: [UInt8]) { (self.key, self.sealed) = (key, sealed) }
}

/// Selects recordings. A field that is `nil` selects all.
package struct RecordingListing: Hashable, Sendable {
    /// The apps that the caller may see.
    package var apps: Set<AppID>?
    package var app: AppID?
    /// Recordings at this time or later.
    package var since: Timestamp?
    /// Recordings before this time.
    package var until: Timestamp?
    /// Where the page before ended.
    package var after: VerdictRecordPosition?
    /// The most recordings on the page.
    package var limit: Int

    package init(limit: Int) { self.limit = limit }

    package func admits(_ name: AppID) -> Bool { (app.map { $0 == name } ?? true) && (apps?.contains(name) ?? true) }
}

package struct RecordingPage: Hashable, Sendable {
    /// The oldest first. May be few or none although more pages follow.
    package let recordings: [RecordingContent]
    /// `nil`: this is the last page.
    package let next: VerdictRecordPosition?

    package init(recordings: [RecordingContent], next: VerdictRecordPosition?) {
        (self.recordings, self.next) = (recordings, next)
    }
}

package struct RecordingStatus: Hashable, Sendable {
    package var rows: Int64 = 0
    package var bytes: Int64 = 0
    /// Recordings that could not be kept, since the start: the queue or the disk was full, the file cannot be used, or they were too large.
    package var dropped: UInt64 = 0

    package init() {}
}
