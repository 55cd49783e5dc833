import AssayRPC
import NIOCore

/// Takes the answers of the calls of one connection. Handlers call it from their threads.
final class AnswerWriter: CallDestination {
    private let outbox: HTTPOutbox
    private let encoder: AnswerEncoder
    private let limits: HTTPLimits

    init(_ outbox: HTTPOutbox, _ encoder: AnswerEncoder, limits: HTTPLimits) {
        (self.outbox, self.encoder, self.limits) = (outbox, encoder, limits)
    }

    func answer(_ answers: [RPCCall.Answer]) {
        let outputs = answers.map { call, answer in
            HTTPOutbox.Output(
                exchange: CallNumber(raw: call.id).exchange, kind: .last(encoder.answer(answer, to: call), call: call.id))
        }
        outbox.add(flushing: !(answers.first?.call.isBatched ?? false)) { outputs }
    }

    func refuse(_ call: RPCCall, _ error: RPCError) {
        let exchange = CallNumber(raw: call.id).exchange
        let answer = encoder.answer(.failure(error), to: call)
        outbox.add { [HTTPOutbox.Output(exchange: exchange, kind: .last(answer, call: call.id))] }
        if call.isStream { outbox.wrote(0, of: exchange) }
    }

    func flush() { outbox.add() }

    func writer(for call: RPCCall) -> RPCStreamWriter {
        let number = CallNumber(raw: call.id)
        return RPCStreamWriter { message throws(RPCError) in
            let bytes = try self.encoder.item(message, number)
            await self.outbox.waitForSpace(of: number.exchange, above: self.limits.streamHighWaterBytes) { !call.isAbandoned }
            // Checked under the outbox's lock: no item may follow the end of the call, which another thread may write.
            var isSent = false
            let isOpen = self.outbox.add {
                guard call.isOpen else { return [] }
                isSent = true
                return [HTTPOutbox.Output(exchange: number.exchange, kind: .item(bytes, number.form))]
            }
            guard isOpen, isSent else { throw call.abandonment }
        }
    }
}
