package import AssayCore
import AssayLedger

/// Recordings lie in the file of the verdict records, in a table of their own with limits of their own, and pass through the same queue.
extension SQLiteVerdictRecords: RecordingStore {
    package func append(_ recordings: [PendingRecording]) {
        guard !recordings.isEmpty else { return }
        let weight = recordings.reduce(0) { $0 + $1.weight }
        if mailbox.post(.record(recordings), weight: weight) != .accepted { state.dropped(recordings: recordings.count) }
    }

    package func recordings(_ listing: RecordingListing) async throws(VerdictRecordError) -> RecordingPage {
        try await read { (file) throws(SQLiteError) in try file.page(listing) }
    }

    package func count(_ listing: RecordingListing) async throws(VerdictRecordError) -> UInt64 {
        try await read { (file) throws(SQLiteError) in try file.count(listing) }
    }

    package func forget(
        _ device: DeviceID, of app: AppID, evidenceOnly: Bool
    ) async throws(VerdictRecordError) -> UInt64 {
        let count = try await read { (file) throws(SQLiteError) in
            try file.forget(device, of: app, evidenceOnly: evidenceOnly)
        }
        _ = mailbox.post(.keepRecordings(nil, nil), weight: 0)
        return count
    }

    package func keepRecordings(_ limits: [AppID: Int64], now: Timestamp) {
        _ = mailbox.post(.keepRecordings(limits, now), weight: 0)
    }

    package var recordingStatus: RecordingStatus { state.recordings }
}
