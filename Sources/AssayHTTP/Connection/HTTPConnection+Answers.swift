import AssayRPC
import NIOCore

extension HTTPConnection {
    /// Answers a request that is no call.
    func answer(_ exchange: UInt32, _ refusal: HTTPRefusal) {
        refused(because: refusal.error.reason, nil)
        let answer = AnswerEncoder.connect(refusal.error, status: refusal.status, refusal.fields)
        finish(exchange, answer)
    }

    /// Answers a call in place of its handler, which was not started.
    func refuse(_ exchange: UInt32, _ error: RPCError, _ form: CallForm, _ session: RPCSession) {
        refused(because: error.reason, session)
        finish(exchange, encoder.refusal(error, form))
    }

    /// Answers a request whose body is refused.
    func refuse(_ exchange: UInt32, _ error: RPCError, _ state: Exchange, _ form: CallForm, _ session: RPCSession?) {
        refused(because: error.reason, session)
        finish(exchange, state.hasHead ? encoder.end(error, form) : encoder.refusal(error, form))
    }

    private func refused(because reason: String, _ session: RPCSession?) {
        let session = session ?? sessions.own
        server.service.state.refused(because: reason, session.peer, session.identity)
    }

    /// Leaves an answer to be written with the next flush: a transport may be in the middle of handing over what came.
    private func finish(_ exchange: UInt32, _ answer: HTTPAnswer) {
        exchanges[exchange]?.state = .waiting
        exchanges[exchange]?.due = nil
        outbox.add { [HTTPOutbox.Output(exchange: exchange, kind: .file(answer))] }
    }

    /// Writes what was taken from the outbox.
    func write(_ output: HTTPOutbox.Output, _ answered: inout [UInt64]) {
        if case .last(_, let call) = output.kind {
            answered.append(call)
            inFlight[output.exchange] = nil
        }
        guard let transport, var state = exchanges[output.exchange] else {
            // Its client has ended it.
            return outbox.wrote(output.byteCount, of: output.exchange)
        }
        let isFirst = !state.hasHead
        state.hasHead = true
        switch output.kind {
        case .item(let bytes, let form):
            exchanges[output.exchange] = state
            guard let format = form.format else { return }
            transport.write(bytes, format, of: output.exchange, isFirst: isFirst)
        case .last(let answer, _), .file(let answer):
            state.state = .answered
            state.due = nil
            exchanges[output.exchange] = state
            var answer = answer
            if state.isHead {
                outbox.wrote(answer.body.readableBytes, of: output.exchange)
                answer.leaveOutBody()
            }
            transport.write(answer, of: output.exchange, isFirst: isFirst)
        }
    }
}

extension HTTPAnswer {
    /// As HEAD is answered: the length of the body stands in the head, and the body is left out (RFC 9110 §9.3.2).
    fileprivate mutating func leaveOutBody() {
        guard case .other(let status, let fields) = head, status != 304 else { return body.clear() }
        head = .other(status: status, fields + [("content-length", "\(body.readableBytes)")])
        body.clear()
    }
}
