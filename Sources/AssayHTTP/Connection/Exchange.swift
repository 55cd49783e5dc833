import AssayRPC
import NIOCore

/// One request and its answer on a connection.
struct Exchange {
    enum State {
        /// The request of a call has not come whole.
        case reading(Intake)
        /// A conversation, whose messages are answered one by one as they come.
        case conversing(EnvelopeReader, CallForm)
        /// The request is whole, and its body is read by another thread.
        case decoding(bytes: Int)
        /// A call is in flight, or a file is read.
        case waiting
        /// The last bytes are written. What still comes of the request is discarded.
        case answered
    }

    var state: State
    /// The head of the answer is written.
    var hasHead = false
    /// When the request must have come whole, or the next message of a conversation.
    var due: NIODeadline?
    /// The answer has no body (HEAD).
    var isHead = false
    /// The request has come whole.
    var isWhole = false
    let began: NIODeadline

    init(isHead: Bool = false, at now: NIODeadline) { (state, self.isHead, began) = (.answered, isHead, now) }

    /// What is known of a call before its message has come whole.
    struct Intake {
        let form: CallForm
        let method: HTTPMethods.Entry
        var body: RequestBody
        let metadata: RPCMetadata
        let session: RPCSession
        let timeout: Duration?
        let idempotencyKey: String?
    }

    /// Bytes of the request that are kept.
    var heldBytes: Int {
        switch state {
        case .reading(let intake):
            intake.body.heldBytes + intake.metadata.byteCount + (intake.idempotencyKey?.utf8.count ?? 0)
        case .conversing(let reader, _): reader.heldBytes
        case .decoding(let bytes): bytes
        case .waiting, .answered: 0
        }
    }
}
