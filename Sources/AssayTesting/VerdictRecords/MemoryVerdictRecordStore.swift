package import AssayCore
import Synchronization

/// A store in memory, for tests of what uses one. It passes `VerdictRecordStoreContract`.
package final class MemoryVerdictRecordStore: VerdictRecordStore {
    fileprivate struct State {
        var records: [(position: VerdictRecordPosition, record: VerdictRecord)] = []
        var limits: VerdictRecordLimits
        var status = VerdictRecordStatus()
        var number: Int64 = 0
        var isClosed = false
    }
    private let state: Mutex<State>

    package init(_ limits: VerdictRecordLimits = VerdictRecordLimits()) { state = Mutex(State(limits: limits)) }

    package func append(_ records: [VerdictRecord]) {
        state.withLock { state in
            for record in records {
                guard !state.isClosed else {
                    state.status.dropped += UInt64(clamping: record.standsFor)
                    continue
                }
                state.number += 1
                state.records.append((VerdictRecordPosition(time: record.request.time, number: state.number), record))
            }
            state.drop()
        }
    }

    package func page(_ listing: VerdictRecordListing) async throws(VerdictRecordError) -> VerdictRecordPage {
        let found = try open { state in
            state.records.filter { entry in
                listing.admits(entry.record) && listing.after.map { entry.position < $0 } ?? true
            }
            .sorted { $0.position > $1.position }
        }
        let page = found.prefix(listing.limit)
        return VerdictRecordPage(
            records: page.map(\.record), next: found.count > page.count ? page.last?.position ?? listing.after : nil)
    }

    package func records(
        _ prefix: [UInt8], in scope: VerdictRecordScope
    ) async throws(VerdictRecordError) -> [VerdictRecord] {
        try open { state in
            Array(
                state.records.lazy.map(\.record).filter { record in
                    record.request.id.starts(with: prefix)
                        && scope.contains(app: record.request.app, caller: record.request.caller)
                }.prefix(2))
        }
    }

    package func keep(_ limits: VerdictRecordLimits, now: Timestamp) {
        state.withLock { state in
            state.limits = limits
            state.records.removeAll { $0.position.time < now.adding(milliseconds: -limits.age) }
            state.drop()
        }
    }

    package var status: VerdictRecordStatus {
        state.withLock { state in
            var status = state.status
            status.rows = Int64(state.records.count)
            status.bytes = state.records.reduce(0) { $0 + Int64($1.record.encoded().count) }
            return status
        }
    }

    package func close() { state.withLock { $0.isClosed = true } }

    /// Everything that is kept, in the order in which it came.
    package var all: [VerdictRecord] { state.withLock { $0.records.map(\.record) } }

    private func open<T>(_ body: (State) -> T) throws(VerdictRecordError) -> T {
        let value = state.withLock { $0.isClosed ? nil : body($0) }
        guard let value else { throw VerdictRecordError("the store is closed") }
        return value
    }
}

extension MemoryVerdictRecordStore.State {
    fileprivate mutating func drop() {
        while records.count > limits.rows, let index = oldestOfLargestApp { records.remove(at: index) }
        var bytes = records.reduce(0) { $0 + Int64($1.record.encoded().count) }
        while bytes > limits.bytes, let index = oldestOfLargestApp {
            bytes -= Int64(records.remove(at: index).record.encoded().count)
        }
    }

    private var oldestOfLargestApp: Int? {
        let counts = records.reduce(into: [AppID: Int]()) { $0[$1.record.request.app, default: 0] += 1 }
        guard let app = counts.max(by: { $0.value < $1.value })?.key else { return nil }
        return records.firstIndex { $0.record.request.app == app }
    }
}
