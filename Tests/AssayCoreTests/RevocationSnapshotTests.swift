import AssayCore
import Testing

@Suite("Revocation snapshot")
struct RevocationSnapshotTests {
    private let version = FeedVersion(name: "list", id: "0123456789abcdef", asOf: Timestamp(unixSeconds: 1))

    @Test("A serial number is found as an integer, whatever its leading zeros")
    func integers() {
        let snapshot = RevocationSnapshot(
            feed: version,
            entries: [[0x05, 0x10]: .init(.revoked, reason: "KEY_COMPROMISE"), [0x00, 0x99]: .init(.suspended)])
        #expect(snapshot[[0x05, 0x10]]?.reason == "KEY_COMPROMISE")
        #expect(snapshot[[0x00, 0x00, 0x05, 0x10]]?.status == .revoked)
        #expect(snapshot[[0x99]]?.status == .suspended && snapshot[[0x00, 0x99]]?.status == .suspended)
        #expect(snapshot[[0x05]] == nil && snapshot[[]] == nil && snapshot[[0x10, 0x05]] == nil)
        #expect(snapshot.count == 2)
    }

    @Test("Of two entries for one number the more permanent one is kept")
    func worse() {
        for entries: [[UInt8]: RevocationSnapshot.Entry] in [
            [[0x00, 0x07]: .init(.suspended), [0x07]: .init(.revoked)],
            [[0x00, 0x07]: .init(.revoked), [0x07]: .init(.suspended)],
        ] {
            #expect(RevocationSnapshot(feed: version, entries: entries)[[0x07]]?.status == .revoked)
        }
    }

    @Test("A snapshot is read in pages, in the order of the serial numbers, and sorted once")
    func pages() throws {
        let numbers = (1...20_000).map { $0 * 7919 % 20_011 }
        let entries = Dictionary(
            uniqueKeysWithValues: numbers.map { ([UInt8($0 >> 8), UInt8($0 & 0xFF)], RevocationSnapshot.Entry(.revoked)) })
        let clock = ContinuousClock()
        var snapshot = RevocationSnapshot(feed: version, entries: [:])
        let making = clock.measure { snapshot = RevocationSnapshot(feed: version, entries: entries) }
        #expect(snapshot.page(from: 0, limit: 3).map(\.serial) == [[1], [2], [3]])
        #expect(snapshot.page(from: 255, limit: 2).map(\.serial) == [[1, 0], [1, 1]])
        #expect(snapshot.page(from: 19_999, limit: 10).count == 1 && snapshot.page(from: 20_000, limit: 10).isEmpty)
        #expect(snapshot.page(from: -1, limit: -1).isEmpty && snapshot.page(from: .max, limit: .max).isEmpty)
        #expect(snapshot.inOrder.count == 20_000)
        // Sorting for each page would take longer than a tenth of making the snapshot.
        // The least of several: a busy machine may take the processor away meanwhile.
        let readings = (0..<5).map { _ in
            clock.measure { for page in 0..<100 { _ = snapshot.page(from: page * 100, limit: 1) } }
        }
        let reading = try #require(readings.min())
        #expect(reading < making, "\(reading) for a hundred pages, \(making) for the list")
    }

    @Test("A snapshot with a new date is the same list")
    func dated() {
        let odd = RevocationSnapshot.OddEntries(unreadable: 1, unknownStatus: 2, example: "x")
        let snapshot = RevocationSnapshot(feed: version, entries: [[0x07]: .init(.suspended)], oddEntries: odd)
        let later = snapshot.known(asOf: Timestamp(unixSeconds: 2))
        #expect(later.feed == FeedVersion(name: "list", id: "0123456789abcdef", asOf: Timestamp(unixSeconds: 2)))
        #expect(later[[0x07]]?.status == .suspended && later.count == 1 && later.oddEntries == odd)
    }
}
