import AssayRPC
import NIOCore

extension ServerConnection {
    /// Handles one frame. Ignores kinds that are unknown or that a client does not send.
    func receive(_ bytes: UnsafeRawBufferPointer, _ arrived: ContinuousClock.Instant) throws(GoAwayReason) {
        let head = try FrameHead(parsing: bytes)
        switch head.kind {
        case .call:
            guard head.callID != 0 else { throw .callIDZero }
            try begin(head.callID, try CallFields(parsing: bytes, head.body), bytes, arrived)
        case .cancel:
            guard head.callID != 0 else { throw .callIDZero }
            dispatcher.cancel(head.callID)
        case .ping:
            outbox.add { $0.bytes.writePong() }
        case .goAway:
            // The client begins no more calls: those in flight finish, and the connection is closed.
            goAway(.clientLeaving)
        case .reply, .item, .end, .pong, nil:
            break
        }
    }

    /// The order of the checks is the order of the errors in proto/README.md.
    private func begin(
        _ id: UInt64, _ fields: CallFields, _ bytes: UnsafeRawBufferPointer, _ arrived: ContinuousClock.Instant
    ) throws(GoAwayReason) {
        guard !dispatcher.isInFlight(id) else { throw .duplicateCallID }
        let method: Int
        switch dispatcher.find(UnsafeRawBufferPointer(rebasing: bytes[fields.method])) {
        case .known(let index): method = index
        case .unknown(let path): return refuse(id, .unknownMethod(path))
        case .notText: throw .undecodableFrame
        }
        guard !fields.hasTooMuchMetadata else { return refuse(id, .tooMuchMetadata) }
        guard !fields.hasTooLongTimeout else { return refuse(id, .timeoutTooLong) }
        guard stage == .serving else { return refuse(id, .goingAway) }
        var metadata = fields.metadata
        var session = sessions.own
        let timeout = Int64(fields.timeoutMilliseconds)
        do throws(RPCError) {
            session = try sessions.session(for: &metadata)
            try dispatcher.admit(
                id, to: method, message: UnsafeRawBufferPointer(rebasing: bytes[fields.message]), metadata: metadata,
                received: arrived, timeout: timeout == 0 ? nil : .milliseconds(timeout), of: session)
        } catch {
            refuse(id, error, of: session)
        }
    }

    private func refuse(_ id: UInt64, _ error: RPCError, of session: RPCSession? = nil) {
        let session = session ?? sessions.own
        server.service.state.refused(because: error.reason, session.peer, session.identity)
        outbox.add { $0.bytes.writeReply(id, error) }
    }
}
