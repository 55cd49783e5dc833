package import AssayCore

/// The checks that every store of recordings passes. A failed check throws `ContractViolation`, or the error of the store.
package enum RecordingStoreContract {
    package static let checks = [empty, reading, pages, devices, evidence, age, size, largest]
}

/// One check, on a new and empty store.
package struct RecordingStoreCheck: Sendable, CustomStringConvertible {
    /// A sentence: what the store does.
    package let description: String
    private let body: @Sendable (any RecordingStore) async throws -> Void

    init(_ description: String, _ body: @escaping @Sendable (any RecordingStore) async throws -> Void) {
        (self.description, self.body) = (description, body)
    }

    package func run(on store: some RecordingStore) async throws {
        do {
            try await body(store)
        } catch let violation as ContractViolation {
            throw ContractViolation("\(description): \(violation.sentence)")
        }
    }
}

extension RecordingStore {
    /// Every recording that a listing selects, page by page.
    package func all(_ listing: RecordingListing = RecordingListing(limit: 100)) async throws -> [RecordingContent] {
        var (listing, found) = (listing, [RecordingContent]())
        for _ in 0..<100_000 {
            let page = try await recordings(listing)
            found += page.recordings
            guard let next = page.next else { return found }
            listing.after = next
        }
        throw ContractViolation("a listing does not end")
    }
}

extension PendingRecording {
    /// - Parameters:
    ///   - milliseconds: its time, from `VerdictRecord.sampleTime` on. It ends a day later.
    ///   - size: of the recording, in bytes; all have the value of `mark`.
    package static func sample(
        _ milliseconds: Int64 = 0, app: AppID, device: DeviceID? = nil, mark: UInt8 = 1, size: Int = 100,
        evidence: SealedEvidence? = nil
    ) -> PendingRecording {
        let time = VerdictRecord.sampleTime.adding(milliseconds: milliseconds)
        return PendingRecording(
            app: app, device: device, time: time, end: time.adding(milliseconds: 86_400_000), weight: size
        ) { RecordingContent(recording: [UInt8](repeating: mark, count: size), evidence: evidence) }
    }
}

extension RecordingStoreContract {
    private static func app(_ name: String) throws -> AppID {
        guard let app = AppID(name) else { throw ContractViolation("\(name) is no name of an app") }
        return app
    }

    private static func marks(_ found: [RecordingContent]) -> [UInt8] { found.compactMap(\.recording.first) }

    private static let empty = RecordingStoreCheck("A new store is empty") { store in
        try same(await store.all(), [], "recordings")
        try same(await store.count(RecordingListing(limit: 1)), 0, "their number")
        try same(await store.forget(.random(), of: app("camera"), evidenceOnly: false), 0, "recordings of a device")
        try same(store.recordingStatus, RecordingStatus(), "the status")
    }

    private static let reading = RecordingStoreCheck("Recordings are listed in the order of time, by app and time") { store in
        let (camera, notes) = (try app("camera"), try app("notes"))
        store.append([.sample(2, app: camera, mark: 2), .sample(1, app: notes, mark: 1), .sample(3, app: camera, mark: 3)])
        try same(marks(await store.all()), [1, 2, 3], "all")
        var listing = RecordingListing(limit: 10)
        listing.app = camera
        try same(marks(await store.all(listing)), [2, 3], "those of an app")
        try same(await store.count(listing), 2, "their number")
        listing.since = VerdictRecord.sampleTime.adding(milliseconds: 3)
        try same(marks(await store.all(listing)), [3], "those from a time on")
        listing.until = listing.since
        try same(marks(await store.all(listing)), [], "those of no time")
        var others = RecordingListing(limit: 10)
        others.apps = [notes]
        try same(marks(await store.all(others)), [1], "those of a caller's apps")
        try same(await store.count(others), 1, "the number of a caller's apps")
    }

    private static let pages = RecordingStoreCheck("Pages of any size give each recording once") { store in
        let camera = try app("camera")
        store.append((0..<23).map { .sample(Int64($0 / 4), app: camera, mark: UInt8($0)) })
        for limit in [1, 3, 7, 23, 100] {
            try same(marks(await store.all(RecordingListing(limit: limit))), (0..<23).map { UInt8($0) }, "pages of \(limit)")
        }
    }

    private static let devices = RecordingStoreCheck("A device that is forgotten loses its recordings, and no other") { store in
        let (camera, notes, device, other) = (try app("camera"), try app("notes"), DeviceID.random(), DeviceID.random())
        store.append([
            .sample(1, app: camera, device: device, mark: 1), .sample(2, app: camera, device: other, mark: 2),
            .sample(3, app: camera, mark: 3), .sample(4, app: notes, device: device, mark: 4),
            .sample(5, app: camera, device: device, mark: 5),
        ])
        try same(await store.forget(device, of: camera, evidenceOnly: false), 2, "deleted recordings")
        try same(marks(await store.all()), [2, 3, 4], "what is left")
        try same(await store.forget(device, of: camera, evidenceOnly: false), 0, "deleted recordings the second time")
    }

    private static let evidence = RecordingStoreCheck("Evidence is deleted by itself") { store in
        let (camera, device) = (try app("camera"), DeviceID.random())
        let kept = SealedEvidence(key: [1, 2, 3], sealed: [UInt8](repeating: 9, count: 5000))
        store.append([
            .sample(1, app: camera, device: device, mark: 1, evidence: kept),
            .sample(2, app: camera, device: device, mark: 2),
            .sample(3, app: camera, device: .random(), mark: 3, evidence: kept),
        ])
        try same(await store.all().map(\.evidence), [kept, nil, kept], "the evidence")
        let before = store.recordingStatus.bytes
        try same(await store.forget(device, of: camera, evidenceOnly: true), 1, "recordings that lost their evidence")
        let left = try await store.all()
        try same(left.map(\.evidence), [nil, nil, kept], "the evidence that is left")
        try same(marks(left), [1, 2, 3], "the recordings")
        try same(before - store.recordingStatus.bytes >= 5000, true, "less is counted")
    }

    private static let age = RecordingStoreCheck("Recordings end at their time") { store in
        let camera = try app("camera")
        store.append((0..<10).map { .sample(Int64($0) * 1000, app: camera, mark: UInt8($0)) })
        store.keepRecordings([:], now: VerdictRecord.sampleTime.adding(milliseconds: 86_400_000 + 4000))
        try same(marks(await store.all()), [5, 6, 7, 8, 9], "what is left")
    }

    private static let size = RecordingStoreCheck("An app keeps to its limit, by its oldest recordings") { store in
        let (camera, notes) = (try app("camera"), try app("notes"))
        for number in 0..<40 {
            store.append([.sample(Int64(number), app: number < 4 ? notes : camera, mark: UInt8(number), size: 10_000)])
        }
        store.keepRecordings([camera: 200_000], now: VerdictRecord.sampleTime)
        let left = marks(try await store.all())
        try same(left.prefix(4).map { $0 }, [0, 1, 2, 3], "the recordings of another app")
        try same(left.last, 39, "the newest")
        try same((15...24).contains(left.count), true, "\(left.count) recordings, of which 20 are the limit")
        try same(left.dropFirst(4).elementsEqual((40 - (left.count - 4)..<40).map { UInt8($0) }), true, "the newest are kept")
    }

    private static let largest = RecordingStoreCheck("A recording that fits into no answer is dropped and counted") { store in
        let camera = try app("camera")
        store.append([
            .sample(1, app: camera, mark: 1, size: RecordingContent.limit + 1), .sample(2, app: camera, mark: 2),
            .sample(3, app: camera, mark: 3, size: RecordingContent.limit),
        ])
        try same(marks(await store.all()), [2, 3], "what is kept")
        try same(store.recordingStatus.dropped, 1, "dropped recordings")
        try same(store.recordingStatus.rows, 2, "kept recordings")
    }
}
