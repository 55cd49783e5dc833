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
            abandon(head.callID, .cancelled)
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
        guard calls[id] == nil else { throw .duplicateCallID }
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
        if let refusal = identify(&metadata) { return refuse(id, refusal) }
        let timeout = Int64(fields.timeoutMilliseconds)
        let call: RPCCall
        do throws(RPCError) {
            call = try dispatcher.admit(
                id, to: method, message: UnsafeRawBufferPointer(rebasing: bytes[fields.message]), metadata: metadata,
                received: arrived, timeout: timeout == 0 ? nil : .milliseconds(timeout),
                connectionIsFull: held >= server.limits.maxInFlightPerConnection)
        } catch {
            return refuse(id, error)
        }
        held += 1
        guard timeout != 0 else {
            calls[id] = InFlight(call: call, due: nil)
            return
        }
        let due = now + .milliseconds(timeout)
        let look = due - TimeAmount(RPCService.margin(of: .milliseconds(timeout)))
        earliestLook = min(earliestLook ?? look, look)
        calls[id] = InFlight(call: call, due: due, look: look)
    }

    /// Reads the credential of a call and takes it out; returns why the call is refused. The first call of a connection says who calls:
    /// the others carry the same credential.
    private func identify(_ metadata: inout RPCMetadata) -> RPCError? {
        let shown = metadata[RPCMetadata.authorization]
        guard shown != nil || credential != nil else { return nil }
        guard let shown else { return .otherCredential }
        metadata = metadata.withoutCredential()
        if let credential { return credential.utf8.elementsEqual(shown.utf8) ? nil : .otherCredential }
        guard held == 0 else { return .otherCredential }
        switch server.service.access.identify(replies.peer, shown) {
        case .success(let peer): adopt(peer, showing: shown)
        case .failure(let error): return error
        }
        return nil
    }

    private func refuse(_ id: UInt64, _ error: RPCError) {
        server.service.state.refused(because: error.reason, replies.peer, usage.identity)
        outbox.add { $0.bytes.writeReply(id, error) }
    }

    /// Answers a call in its handler's place, and tells the handler. Ignores a call that is not in flight, and one whose answer is on
    /// its way to the socket: the answer and the cancellation have crossed.
    func abandon(_ id: UInt64, _ error: RPCError) {
        guard let inFlight = calls[id], inFlight.call.abandon() else { return }
        calls[id] = nil
        server.service.state.countRefusal(because: error.reason)
        outbox.add { replies.write(.failure(error), to: inFlight.call, &$0.bytes) }
        inFlight.call.cancelHandler()
        if inFlight.call.isStream { outbox.wakeSenders() }
    }
}
