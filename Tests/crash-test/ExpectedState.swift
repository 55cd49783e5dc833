import AssayAPI
import AssayCore
import AssaySimulator
import Synchronization

/// What callers were told: against this the daemon is held when it is back.
final class ExpectedState: Sendable {
    /// A request that was accepted.
    struct Acceptance: Sendable {
        let request: VerificationRequest
        /// `nil`: the answer was lost, and only what it left behind tells of it.
        let verdict: Assay_V1_Verdict?
        /// Given under a clock that was stepped: for how long it is repeated, and the challenge known, is another question.
        let isOutOfTime: Bool
    }

    /// A phone that was accepted once.
    struct Registered: Sendable {
        var phone: Phone
        let id: [UInt8]
        /// The highest counter in an upload that was accepted.
        var counter: UInt32
    }

    /// A block that was asked for, or lifted.
    struct Block: Sendable {
        let target: Target
        let phone: Phone
        var isWanted: Bool
        /// It was answered. Otherwise it may or may not be so.
        var isCertain: Bool

        enum Target: Hashable, Sendable { case device, key }
    }

    /// A request that got no answer: applied or not, nobody knows.
    struct Open: Sendable {
        let request: VerificationRequest
        let phone: Phone
        let isOutOfTime: Bool
    }

    struct State: Sendable {
        /// By key id.
        var registered: [[UInt8]: Registered] = [:]
        var acceptances: [Acceptance] = []
        /// By key id.
        var blocks: [[UInt8]: Block] = [:]
        var open: [Open] = []
        /// What must never be accepted.
        var refused: [VerificationRequest] = []
        /// Acceptances on this ledger, those that the notebook has forgotten included: as many as the audit log has records of
        /// verdicts.
        var count: Int64 = 0
        /// Those of them that were counted in the audit log.
        var counted = VerdictCount()
        /// The audit log's last head that anybody saw.
        var head: (number: Int64, text: String)?
        var publicKey = ""
    }

    /// The latest acceptances, and refusals, that are kept for comparing.
    static let memory = 20_000

    private let state = Mutex(State())

    var now: State { state.withLock { $0 } }

    func edit<Result>(_ change: (inout State) -> Result) -> Result { state.withLock { change(&$0) } }

    /// Notes an acceptance, unless it repeats one that was noted; returns how many there are on this ledger.
    @discardableResult
    func accepted(
        _ request: VerificationRequest, _ verdict: Assay_V1_Verdict?, device: [UInt8], by phone: Phone, isOutOfTime: Bool
    ) -> Int64 {
        edit { state in
            let keyID = phone.key.keyID
            if request.purpose == .register {
                state.registered[keyID] = Registered(phone: phone, id: device, counter: 0)
            } else {
                state.registered[keyID]?.phone = phone
                state.registered[keyID]?.counter = phone.key.counter
            }
            state.acceptances.append(Acceptance(request: request, verdict: verdict, isOutOfTime: isOutOfTime))
            if state.acceptances.count > 2 * Self.memory {
                state.acceptances.removeFirst(state.acceptances.count - Self.memory)
            }
            state.count += 1
            return state.count
        }
    }

    /// Notes a request that must not be accepted, whatever was answered.
    func refused(_ request: VerificationRequest) {
        edit { state in
            state.refused.append(request)
            if state.refused.count > 2 * Self.memory { state.refused.removeFirst(state.refused.count - Self.memory) }
        }
    }

    func block(_ target: Block.Target, _ phone: Phone, isWanted: Bool, isCertain: Bool) {
        edit {
            $0.blocks[phone.key.keyID] = Block(target: target, phone: phone, isWanted: isWanted, isCertain: isCertain)
        }
    }

    func saw(_ audit: Assay_V1_StatusResponse.Audit) {
        edit { state in
            guard audit.count > 0, audit.count >= state.head?.number ?? 0 else { return }
            guard let signed = SignedAuditHead(audit) else { return }
            state.head = (audit.count, signed.description)
            state.publicKey = Base64.url.encode(Array(audit.publicKey))
        }
    }

    /// Phones for a lane of the load: registered, not blocked, and with nothing open.
    func phones(for loadClient: Int, of loadClients: Int, atMost limit: Int) -> [Phone] {
        let state = now
        let busy = Set(state.open.map(\.phone.key.keyID)).union(state.blocks.keys)
        let free = state.registered.values.filter { !busy.contains($0.phone.key.keyID) }.map(\.phone)
            .sorted { $0.key.keyID.lexicographicallyPrecedes($1.key.keyID) }
        return Array(free.enumerated().lazy.filter { $0.offset % loadClients == loadClient }.map(\.element).suffix(limit))
    }
}
