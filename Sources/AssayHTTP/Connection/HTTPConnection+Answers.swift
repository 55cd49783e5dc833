import AssayRPC
import NIOCore

extension HTTPConnection {
    /// Answers a request that is no call.
    func answer(_ exchange: Exchange, _ refusal: HTTPRefusal) {
        refused(because: refusal.error.reason, nil)
        let answer = AnswerEncoder.connect(refusal.error, status: refusal.status, refusal.fields)
        finish(exchange, answer)
    }

    /// Answers a call in place of its handler, which was not started.
    func refuse(_ exchange: Exchange, _ error: RPCError, _ form: CallForm, _ session: RPCSession?) {
        refused(because: error.reason, session)
        finish(exchange, exchange.hasHead ? encoder.end(error, form) : encoder.refusal(error, form))
    }

    private func refused(because reason: String, _ session: RPCSession?) {
        let session = session ?? sessions.own
        server.service.state.refused(because: reason, session.peer, session.identity)
    }

    /// Leaves an answer to be written with the next flush: a transport may be in the middle of handing over what came.
    private func finish(_ exchange: Exchange, _ answer: HTTPAnswer) {
        exchange.state = .waiting
        exchange.due = nil
        outbox.add { [HTTPOutbox.Output(exchange: exchange.number, kind: .file(answer))] }
    }

    /// Writes what was taken from the outbox.
    func write(_ output: HTTPOutbox.Output, _ answered: inout [UInt64]) {
        if case .last(_, let call) = output.kind {
            answered.append(call)
            inFlight[output.exchange] = nil
        }
        guard let transport, let exchange = exchanges[output.exchange] else {
            // Its client has ended it.
            return outbox.wrote(output.byteCount, of: output.exchange)
        }
        let isFirst = !exchange.hasHead
        exchange.hasHead = true
        switch output.kind {
        case .item(let bytes, let form):
            guard let format = form.format else { return }
            transport.write(bytes, format, of: output.exchange, isFirst: isFirst)
        case .last(var answer, _), .file(var answer):
            exchange.state = .answered
            exchange.due = nil
            if exchange.isHead {
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
