package import SwiftProtobuf
import Synchronization

/// One call as it came in. Thread safe; exactly the first answer counts.
package final class RPCCall: Sendable {
    /// The path of the registered method that the call named.
    package let method: String
    /// The serialised request: one copy out of the read buffer, which SwiftProtobuf parses in place.
    package let message: [UInt8]
    package let metadata: RPCMetadata
    /// When the frame's last byte had been read. Calls of one read burst share the instant.
    package let received: ContinuousClock.Instant
    /// When the answer becomes worthless; nil if the client set no timeout.
    package let deadline: ContinuousClock.Instant?

    let id: UInt64
    let isStream: Bool
    /// What it holds of the daemon-wide bound.
    let share: Admission.Share
    /// Its answer leaves with those of the calls that it came with.
    let isBatched: Bool
    private let destination: any CallDestination
    private let state = Atomic(State.open)

    private enum State: UInt8, AtomicRepresentable {
        /// Nobody has answered.
        case open
        /// The handler has answered.
        case answered
        /// The transport has answered in the handler's place (cancel, deadline, stop) or nobody is there to be answered.
        case abandoned
        /// Abandoned, and the handler has noticed.
        case released
    }

    init(
        id: UInt64, method: String, message: [UInt8], metadata: RPCMetadata, received: ContinuousClock.Instant,
        deadline: ContinuousClock.Instant?, isStream: Bool, isBatched: Bool = false, share: Admission.Share = Admission.Share(),
        destination: any CallDestination
    ) {
        (self.id, self.method, self.message, self.metadata) = (id, method, message, metadata)
        (self.received, self.deadline) = (received, deadline)
        (self.isStream, self.isBatched, self.share, self.destination) = (isStream, isBatched, share, destination)
    }

    package var peer: RPCPeer { destination.peer }

    /// Whose call it is, for what callers share or take turns at.
    package var caller: PeerIdentity { destination.caller }

    /// Whether nobody waits for the answer: cancelled, deadline passed, or connection gone. Work that has not joined a commit
    /// should be dropped; an answer that is given all the same is not sent.
    package var isAbandoned: Bool {
        switch state.load(ordering: .acquiring) {
        case .open, .answered: isPastDeadline
        case .abandoned, .released: true
        }
    }

    var isPastDeadline: Bool { deadline.map { $0 <= .now } ?? false }

    /// The answer of a call that ``isAbandoned``, for a handler that gives it up. Who has been answered already does not hear it.
    package var abandonment: RPCError { isPastDeadline ? .deadlineExceeded : .cancelled }

    /// Whether nobody has answered yet. Frames of a stream are added under the outbox's lock while this holds.
    var isOpen: Bool { state.load(ordering: .acquiring) == .open }

    /// The request as a message. Bytes that are not one are the caller's fault: INVALID_ARGUMENT, `undecodable_message`.
    package func decode<Request: SwiftProtobuf.Message>(_ type: Request.Type = Request.self) throws(RPCError) -> Request {
        guard let request = try? Request(serializedBytes: message) else { throw .undecodableMessage }
        return request
    }

    /// Answers OK.
    package func reply(_ message: some SwiftProtobuf.Message) {
        guard state.load(ordering: .relaxed) == .open else { return finish(.failure(.cancelled)) }
        guard let bytes: [UInt8] = try? message.serializedBytes() else { return finish(.failure(.unserialisable)) }
        finish(.success(bytes))
    }

    /// A call, and the serialised message or the error that answers it.
    package typealias Answer = (call: RPCCall, answer: Result<[UInt8], RPCError>)

    /// Answers calls that came together, which is cheaper than one by one.
    package static func answer(_ answers: [Answer]) {
        let first = answers.filter { $0.call.takesAnswer() }
        first.first?.call.destination.answer(first)
    }

    /// Answers with an error.
    package func fail(_ error: RPCError) { finish(.failure(error)) }

    /// Ends a stream without an error.
    func end() { finish(.success([])) }

    /// What the transport does when the handler has returned. A handler leaves a call unanswered that is past its deadline; the
    /// timer that tells the client comes a few milliseconds later.
    func conclude() {
        guard isOpen else { return finish(.failure(.cancelled)) }
        finish(.failure(isPastDeadline ? .deadlineExceeded : .unanswered))
    }

    private func finish(_ answer: Result<[UInt8], RPCError>) {
        if takesAnswer() { destination.answer([(self, answer)]) }
    }

    /// True for the first answer of a call that nobody abandoned. Lets go of one that was.
    private func takesAnswer() -> Bool {
        if state.compareExchange(expected: .open, desired: .answered, ordering: .acquiringAndReleasing).exchanged {
            return true
        }
        if state.compareExchange(expected: .abandoned, desired: .released, ordering: .acquiringAndReleasing).exchanged {
            destination.release(self)
        }
        return false
    }

    /// Takes the right to answer away from the handler. False: it has been used.
    func abandon() -> Bool {
        state.compareExchange(expected: .open, desired: .abandoned, ordering: .acquiringAndReleasing).exchanged
    }
}
