import AssayCore
import Testing

@Suite("Revocation snapshot")
struct RevocationSnapshotTests {
    private let version = FeedVersion(name: "list", id: "0123456789abcdef", asOf: Timestamp(unixSeconds: 1))

    @Test("finds a serial number as an integer, whatever zeros lead it on either side")
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

    @Test("keeps, of two entries for one number, the one that is not lifted again")
    func worse() {
        for entries: [[UInt8]: RevocationSnapshot.Entry] in [
            [[0x00, 0x07]: .init(.suspended), [0x07]: .init(.revoked)],
            [[0x00, 0x07]: .init(.revoked), [0x07]: .init(.suspended)],
        ] {
            #expect(RevocationSnapshot(feed: version, entries: entries)[[0x07]]?.status == .revoked)
        }
    }
}
