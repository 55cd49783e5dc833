package import AssayCore
import Synchronization

/// A store of recordings in memory, for tests of what uses one. It passes `RecordingStoreContract`.
package final class MemoryRecordingStore: RecordingStore {
    private struct Row {
        let position: VerdictRecordPosition
        let end: Timestamp
        let app: AppID
        let device: DeviceID?
        var content: RecordingContent
    }
    private struct State {
        /// In the order of their positions.
        var rows: [Row] = []
        var number: Int64 = 0
        var dropped: UInt64 = 0
    }
    private let state = Mutex(State())

    package init() {}

    package func append(_ recordings: [PendingRecording]) {
        for one in recordings {
            let content = one.content()
            state.withLock { state in
                guard content.size <= RecordingContent.limit else {
                    state.dropped += 1
                    return
                }
                state.number += 1
                let position = VerdictRecordPosition(time: one.time, number: state.number)
                let before = state.rows.lastIndex { $0.position < position } ?? -1
                state.rows.insert(
                    Row(position: position, end: one.end, app: one.app, device: one.device, content: content), at: before + 1)
            }
        }
    }

    /// The first rows of a listing: those of a page, and one more if there is one. Tests list long ones page by page, so the others are not copied.
    private func rows(_ listing: RecordingListing, page limit: Int) -> [Row] {
        state.withLock { state in
            var found: [Row] = []
            for index in state.rows.indices where found.count <= limit {
                let position = state.rows[index].position
                guard listing.admits(state.rows[index].app), listing.since.map({ position.time >= $0 }) ?? true,
                    listing.until.map({ position.time < $0 }) ?? true, listing.after.map({ position > $0 }) ?? true
                else { continue }
                found.append(state.rows[index])
            }
            return found
        }
    }

    package func recordings(_ listing: RecordingListing) async throws(VerdictRecordError) -> RecordingPage {
        let found = rows(listing, page: listing.limit)
        let page = found.prefix(listing.limit)
        return RecordingPage(
            recordings: page.map(\.content), next: found.count > page.count ? page.last?.position ?? listing.after : nil)
    }

    package func count(_ listing: RecordingListing) async throws(VerdictRecordError) -> UInt64 {
        var listing = listing
        listing.after = nil
        return UInt64(rows(listing, page: .max).count)
    }

    package func forget(
        _ device: DeviceID, of app: AppID, evidenceOnly: Bool
    ) async throws(VerdictRecordError) -> UInt64 {
        state.withLock { state in
            var count: UInt64 = 0
            for index in state.rows.indices.reversed() {
                let row = state.rows[index]
                guard row.device == device, row.app == app, !evidenceOnly || row.content.evidence != nil else { continue }
                count += 1
                if evidenceOnly { state.rows[index].content.evidence = nil } else { state.rows.remove(at: index) }
            }
            return count
        }
    }

    package func keepRecordings(_ limits: [AppID: Int64], now: Timestamp) {
        state.withLock { state in
            state.rows.removeAll { $0.end <= now }
            for (app, limit) in limits {
                while state.rows.reduce(0, { $0 + ($1.app == app ? Int64($1.content.size) : 0) }) > limit,
                    let oldest = state.rows.indices.filter({ state.rows[$0].app == app })
                        .min(by: { state.rows[$0].position < state.rows[$1].position })
                {
                    state.rows.remove(at: oldest)
                }
            }
        }
    }

    package var recordingStatus: RecordingStatus {
        state.withLock { state in
            var status = RecordingStatus()
            status.rows = Int64(state.rows.count)
            status.bytes = state.rows.reduce(0) { $0 + Int64($1.content.size) }
            status.dropped = state.dropped
            return status
        }
    }
}
