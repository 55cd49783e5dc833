import AssayCore
import Synchronization

/// A feed that remembers what it was brought.
final class StandInFeed: TrustFeed {
    struct Loaded {
        let text: String
        let asOf: Timestamp
        let force: Bool
    }

    let name: String
    let apps: Set<AppID>?
    private let snapshot: RevocationSnapshot?
    private let problem: String?
    private let unavailable: String?
    private let isWanted: Bool
    private let state = Mutex<[Loaded]>([])
    var loaded: [Loaded] { state.withLock { $0 } }

    init(
        name: String, snapshot: RevocationSnapshot?, problem: String? = nil, unavailable: String? = nil, isWanted: Bool = true,
        apps: Set<AppID>? = nil
    ) {
        (self.name, self.apps, self.snapshot, self.problem) = (name, apps, snapshot, problem)
        self.unavailable = unavailable ?? (snapshot == nil ? "no list" : nil)
        self.isWanted = isWanted
    }

    func status(at now: Timestamp) -> TrustFeedStatus {
        TrustFeedStatus(
            source: "test", isWanted: isWanted, snapshot: snapshot, maxAgeMilliseconds: 1000, unavailable: unavailable,
            problem: problem, triedAt: nil)
    }

    func load(_ text: [UInt8], asOf: Timestamp, force: Bool) throws(TrustFeedError) {
        guard text == Array("good".utf8) else { throw TrustFeedError("no list") }
        state.withLock { $0.append(Loaded(text: "good", asOf: asOf, force: force)) }
    }
}
