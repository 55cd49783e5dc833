import AssayAPI
import AssayCore
import AssaySimulator
import Synchronization

/// Everything that callers were told. A restarted daemon is compared with it. Certificates have a state of their own.
final class ExpectedState: Sendable {
    /// A request that was accepted.
    struct Acceptance: Sendable {
        let request: VerificationRequest
        /// `nil`: the answer was lost, and only the ledger's state shows its effect.
        let verdict: Assay_V1_Verdict?
        /// Issued under a clock that was stepped: how long it can be repeated, and the challenge is known, is undetermined.
        let isOutOfTime: Bool
        private let time = ContinuousClock.now

        init(request: VerificationRequest, verdict: Assay_V1_Verdict?, isOutOfTime: Bool) {
            (self.request, self.verdict, self.isOutOfTime) = (request, verdict, isOutOfTime)
        }

        /// Whether its challenge may have expired by now: it lives for an hour, and was issued some seconds before.
        var mayHaveExpired: Bool { isOutOfTime || time.duration(to: .now) > .seconds(3300) }
    }

    /// A phone with at least one acceptance.
    struct Registered: Sendable {
        var phone: Phone
        let id: [UInt8]
        /// The highest counter in an accepted upload.
        var counter: UInt32
    }

    /// A requested block, or its removal.
    struct Block: Sendable {
        let target: Target
        let phone: Phone
        var isWanted: Bool
        /// It was answered. Otherwise its state is unknown.
        var isCertain: Bool

        enum Target: Hashable, Sendable { case device, key }
    }

    /// A request without an answer: it may or may not have been applied.
    struct Open: Sendable {
        let request: VerificationRequest
        let phone: Phone
        let isOutOfTime: Bool
    }

    /// An upload in chunks, as far as it was acknowledged.
    struct Upload: Sendable {
        let id: UploadID
        let plan: ChunkPlan
        let payloadSHA256: [UInt8]
        var chunks: Set<Int> = []
        var isFinished = false

        /// What is stated of a chunk: a hash that no other upload has.
        func chunk(_ index: Int) -> UploadChunk {
            let hash = Array((id.bytes + payloadSHA256).prefix(31)) + [UInt8(truncatingIfNeeded: index)]
            return UploadChunk(index: index, size: plan.size(ofChunk: index) ?? 0, sha256: hash)
        }
    }

    struct State: Sendable {
        /// In the order in which they began, the newest ``uploadMemory`` of them.
        var uploads: [Upload] = []
        /// By key id.
        var registered: [[UInt8]: Registered] = [:]
        var acceptances: [Acceptance] = []
        /// By key id.
        var blocks: [[UInt8]: Block] = [:]
        var open: [Open] = []
        /// Requests that must never be accepted.
        var refused: [VerificationRequest] = []
        /// Acceptances on this ledger, including those dropped from this record: equal to the number of the audit log's verdict
        /// records.
        var count: Int64 = 0
        /// What was counted in the audit log.
        var counted = AuditCount()
        /// The last observed head of each writer's audit log.
        var heads: [AuditWriter: SignedAuditHead] = [:]
        var publicKey = ""
    }

    /// The most recent uploads kept for comparison.
    static let uploadMemory = 2000
    /// The most recent acceptances, and rejections, kept for comparison.
    static let memory = 20_000

    let certificates = ExpectedCertificates()
    private let state = Mutex(State())

    var now: State { state.withLock { $0 } }

    func edit<Result>(_ change: (inout State) -> Result) -> Result { state.withLock { change(&$0) } }

    /// Records an acceptance, unless it repeats a recorded one; returns their number on this ledger.
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

    /// Records a request that must not be accepted, whatever its answer.
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

    /// Records what was acknowledged of an upload.
    func acknowledged(_ upload: Upload) {
        edit { state in
            if let index = state.uploads.lastIndex(where: { $0.id == upload.id }) {
                state.uploads[index] = upload
            } else {
                state.uploads.append(upload)
                if state.uploads.count > 2 * Self.uploadMemory {
                    state.uploads.removeFirst(state.uploads.count - Self.uploadMemory)
                }
            }
        }
    }

    func saw(_ status: Assay_V1_StatusResponse) {
        edit { state in
            for head in status.signedAuditHeads
            where head.chain.number > 0 && head.chain.number >= state.heads[head.writer]?.chain.number ?? 0 {
                state.heads[head.writer] = head
                state.publicKey = Base64.url.encode(Array(status.audit.publicKey))
            }
        }
    }

    /// Phones for a load client: registered, not blocked, and without an open request.
    func phones(for loadClient: Int, of loadClients: Int, atMost limit: Int) -> [Phone] {
        let state = now
        let busy = Set(state.open.map(\.phone.key.keyID)).union(state.blocks.keys)
        // By the keys of the dictionary: a phone computes its key's id from the key each time that it is asked.
        let free = state.registered.filter { !busy.contains($0.key) }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value.phone)
        return Array(free.enumerated().lazy.filter { $0.offset % loadClients == loadClient }.map(\.element).suffix(limit))
    }
}
