import AssayRPC
import NIOCore

/// One request and its answer on a connection. Used on the connection's event loop.
final class Exchange {
    enum State {
        /// The request of a call has not come whole.
        case reading(Intake)
        /// A conversation, whose messages are answered one by one as they come.
        case conversing(CallForm)
        /// The request is whole, and its body is read by another thread.
        case decoding
        /// A call is in flight, or a file is read.
        case waiting
        /// The last bytes are written. What still comes of the request is discarded.
        case answered
    }

    /// Its number, among those of its connection.
    let number: UInt32
    /// When the request began.
    let began: NIODeadline
    /// The answer has no body (HEAD).
    let isHead: Bool

    var state = State.answered {
        didSet {
            switch state {
            case .reading, .conversing, .decoding: break
            case .waiting, .answered: (heldBytes, body, reader) = (0, nil, nil)
            }
        }
    }
    /// What has come of the body, while it is read.
    var body: RequestBody?
    /// Cuts the body of a conversation.
    var reader: EnvelopeReader?
    /// Bytes of the request that are kept.
    var heldBytes = 0 { didSet { partial.count(self, heldBefore: oldValue) } }
    /// The head of the answer is written.
    var hasHead = false
    /// When the request must have come whole, or the next message of a conversation.
    var due: NIODeadline?
    /// The request has come whole.
    var isWhole = false

    private let partial: PartialRequests
    /// Its place in ``partial``.
    var neighbours = PartialRequests.Neighbours()

    /// - Parameter partial: those of its connection.
    init(_ number: UInt32, isHead: Bool = false, at now: NIODeadline, in partial: PartialRequests) {
        (self.number, self.isHead, began, self.partial) = (number, isHead, now, partial)
    }

    /// What is known of a call before its message has come whole.
    struct Intake {
        let form: CallForm
        let method: HTTPMethods.Entry
        let metadata: RPCMetadata
        let session: RPCSession
        let timeout: Duration?
        let idempotencyKey: String?
        /// Bytes of the head that are kept.
        let headBytes: Int

        init(
            _ form: CallForm, _ method: HTTPMethods.Entry, _ metadata: RPCMetadata, _ session: RPCSession, timeout: Duration?,
            idempotencyKey: String?
        ) {
            (self.form, self.method, self.metadata, self.session) = (form, method, metadata, session)
            (self.timeout, self.idempotencyKey) = (timeout, idempotencyKey)
            headBytes = metadata.byteCount + (idempotencyKey?.utf8.count ?? 0)
        }
    }
}
