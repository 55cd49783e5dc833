import NIOCore

extension ServerConnection {
    /// Acts on one frame. Kinds that are not known, or that a client does not send, are ignored.
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
            // The client begins no call any more: those in flight are finished, and the connection is closed.
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
        switch table.find(bytes, fields.method) {
        case .known(let index): method = index
        case .unknown(let path): return refuse(id, .unknownMethod(path))
        case .notText: throw .undecodableFrame
        }
        guard !fields.hasTooMuchMetadata else { return refuse(id, .tooMuchMetadata) }
        guard !fields.hasTooLongTimeout else { return refuse(id, .timeoutTooLong) }
        guard stage == .serving else { return refuse(id, .goingAway) }
        if let refusal = refusal(of: method) { return refuse(id, refusal) }
        guard held < server.limits.maxInFlightPerConnection else { return refuse(id, .tooManyCalls) }
        let share = Admission.Share(calls: 1, bytes: fields.message.count + fields.metadata.byteCount)
        if let refusal = server.admission.admit(share, for: usage) {
            return refuse(id, refusal == .callerIsFull ? .tooManyCallsOfTheCaller : .overloaded)
        }

        let timeout = Int64(fields.timeoutMilliseconds)
        let call = RPCCall(
            id: id, method: table.methods[method].path,
            message: Array(UnsafeRawBufferPointer(rebasing: bytes[fields.message])), metadata: fields.metadata,
            received: arrived, deadline: timeout == 0 ? nil : arrived.advanced(by: .milliseconds(timeout)),
            isStream: table.methods[method].handler.isStream, isBatched: table.methods[method].handler.isBatch,
            share: share, destination: replies)
        held += 1
        let due: NIODeadline? = timeout == 0 ? nil : now + .milliseconds(timeout)
        if let due { earliestDeadline = min(earliestDeadline ?? due, due) }
        calls[id] = InFlight(call: call, due: due)
        if burstMethod != method || burst.count >= CallChunks.burst { dispatch() }
        burstMethod = method
        burst.append(call)
    }

    private func refuse(_ id: UInt64, _ error: RPCError) {
        server.refused(because: error.reason, replies.peer, usage.identity)
        outbox.add { $0.bytes.writeReply(id, error) }
    }

    /// Why the peer may not call a method; nil: it may. Asked of the layer above once, for what may be called.
    private func refusal(of method: Int) -> RPCError? {
        let version = server.access.version()
        if version != permittedVersion || permitted.isEmpty {
            permitted = Array(repeating: false, count: table.methods.count)
            permittedVersion = version
        }
        guard !permitted[method] else { return nil }
        if let refusal = server.access.refusal(replies.peer, table.methods[method].path) { return refusal }
        permitted[method] = true
        return nil
    }

    /// Hands the burst to workers, cut into chunks.
    func dispatch() {
        guard !burst.isEmpty else { return }
        var rest = burst[...]
        burst = []
        server.count { $0.callsStarted += rest.count }
        let handler = table.methods[burstMethod].handler
        let size = CallChunks.size(burst: rest.count)
        while !rest.isEmpty {
            let chunk = Array(rest.prefix(CallChunks.next(of: rest, size: size)))
            rest = rest.dropFirst(chunk.count)
            for (call, task) in zip(chunk, handler.start(chunk, replies, server.queue)) { calls[call.id]?.task = task }
        }
    }

    /// Answers a call in its handler's place, and lets the handler know. A call that is not in flight, or whose answer is on its
    /// way to the socket, is not touched: the answer and the wish have crossed.
    func abandon(_ id: UInt64, _ error: RPCError) {
        guard let inFlight = calls[id], inFlight.call.abandon() else { return }
        calls[id] = nil
        server.count { $0.refusedCalls[error.reason, default: 0] += 1 }
        outbox.add { replies.write(.failure(error), to: inFlight.call, &$0.bytes) }
        inFlight.task?.cancel()
        if inFlight.call.isStream { outbox.wakeSenders() }
    }
}
