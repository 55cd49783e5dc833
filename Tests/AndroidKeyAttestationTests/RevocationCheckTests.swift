import AssayCore
import Testing

@testable import AndroidKeyAttestation

@Suite("Revocation of chains")
struct RevocationCheckTests {
    static let feed = FeedVersion(name: "google-attestation-status", id: "0011223344556677", asOf: PolicyTests.now)

    static func snapshot(_ entries: [[UInt8]: RevocationSnapshot.Entry]) -> RevocationKnowledge {
        .snapshot(RevocationSnapshot(feed: feed, entries: entries))
    }

    static func judge(
        _ serials: [[UInt8]], _ knowledge: RevocationKnowledge, allowsSuspended: Bool = false
    ) -> Appraisal {
        Appraisal.build(.keyAttestation) { appraisal throws(Rejection) in
            try RevocationCheck(knowledge: knowledge, allowsSuspended: allowsSuspended).judge(serials, in: &appraisal)
        }
    }

    @Test("Unlisted serial numbers pass, and the list is named")
    func notListed() {
        let appraisal = Self.judge([[1], [5]], Self.snapshot([[6]: .init(.revoked)]))
        #expect(appraisal.findings.map(\.outcome) == [.pass] && appraisal.feeds == [Self.feed])
    }

    @Test("Revoked, suspended and unknown statuses are refused, and the status is claimed")
    func listed() {
        for (status, word): (RevocationSnapshot.Status, String) in [
            (.revoked, "REVOKED"), (.suspended, "SUSPENDED"), (.other("LOST"), "LOST"),
        ] {
            let appraisal = Self.judge([[1], [4], [0, 5]], Self.snapshot([[5]: .init(status, reason: "KEY_COMPROMISE")]))
            #expect(appraisal.failure?.code == "revoked")
            #expect(appraisal.claims.text("revocation_status") == word)
            #expect(appraisal.claims.text("revocation_reason") == "KEY_COMPROMISE")
        }
    }

    @Test("A leaf's serial number is looked up only if it is greater than 1")
    func leaf() {
        let list = Self.snapshot([[1]: .init(.revoked), [2]: .init(.revoked), [1, 0]: .init(.revoked)])
        #expect(Self.judge([[1], [5]], list).failure == nil)
        #expect(Self.judge([[0, 1], [5]], list).failure == nil)
        #expect(Self.judge([[2], [5]], list).failure != nil)
        #expect(Self.judge([[1, 0], [5]], list).failure != nil)
        #expect(Self.judge([[5], [1]], list).failure != nil)
    }

    @Test("A suspended certificate passes if that is allowed, and a revoked one behind it is still found")
    func suspended() {
        let suspended = Self.judge([[1], [5]], Self.snapshot([[5]: .init(.suspended)]), allowsSuspended: true)
        #expect(suspended.failure == nil && suspended.findings.map(\.code) == ["suspended", ""])
        let both = Self.snapshot([[5]: .init(.suspended), [6]: .init(.revoked)])
        #expect(Self.judge([[1], [5], [6]], both, allowsSuspended: true).failure?.code == "revoked")
    }

    @Test("Without a list the check is unavailable, and a note says if none is consulted")
    func without() {
        let open = Self.judge([[1], [5]], .unavailable("too old"))
        #expect(open.findings.map(\.outcome) == [.unavailable] && open.feeds.isEmpty)
        #expect(open.findings.first?.code == "revocation_unavailable")
        #expect(Self.judge([[1], [5]], .notConsulted).findings.map(\.code) == ["revocation_not_consulted"])
    }
}
