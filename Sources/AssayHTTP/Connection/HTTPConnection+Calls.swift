import AssayRPC
import NIOCore

/// Calls whose requests have come whole, on their way to the dispatcher.
extension HTTPConnection {
    /// Hands a call to the dispatcher.
    func call(_ exchange: Exchange, _ decoded: DecodedCall, _ intake: Exchange.Intake) throws(RPCError) {
        let number = CallNumber(exchange: exchange.number, method: intake.method.number, form: intake.form)
        switch decoded {
        case .upload(let upload): try admit(upload, number, intake.metadata, intake.timeout, intake.session)
        case .message(let message):
            var refusal: RPCError?
            message.withUnsafeReadableBytes { bytes in
                do throws(RPCError) {
                    try admit(number, bytes, intake.metadata, intake.timeout, intake.session)
                } catch {
                    refusal = error
                }
            }
            if let refusal { throw refusal }
        }
    }

    /// Reads a request on a thread of the executor, and goes on with it here: the connections of the loop do not wait for it.
    func decodeElsewhere(_ exchange: Exchange, _ body: RequestBody, _ intake: Exchange.Intake) {
        let number = exchange.number
        let loop = channel.eventLoop
        let connection = NIOLoopBound(self, eventLoop: loop)
        Task {
            let decoded: Result<DecodedCall, RPCError>
            do throws(RPCError) { decoded = .success(try DecodedCall(body, intake)) } catch { decoded = .failure(error) }
            loop.execute { connection.value.decoded(number, decoded, intake) }
        }
    }

    private func decoded(_ number: UInt32, _ decoded: Result<DecodedCall, RPCError>, _ intake: Exchange.Intake) {
        // Its client may have ended it, or the end of the connection.
        guard stage != .closed, let exchange = exchanges[number], case .decoding = exchange.state else { return }
        exchange.state = .waiting
        now = .now()
        do throws(RPCError) {
            try call(exchange, try decoded.get(), intake)
        } catch {
            refuse(exchange, error, intake.form, intake.session)
        }
        readComplete()
    }

    /// Hands the call to the dispatcher that judges an upload.
    func admit(
        _ upload: AuthorizationCall, _ number: CallNumber, _ metadata: RPCMetadata, _ timeout: Duration?, _ session: RPCSession
    ) throws(RPCError) {
        var refusal: RPCError?
        encoder.uploads.note(upload, number)
        upload.request.withUnsafeBytes { bytes in
            do throws(RPCError) { try admit(number, bytes, metadata, timeout, session) } catch { refusal = error }
        }
        guard let refusal else { return }
        encoder.uploads.forget(number.raw)
        throw refusal
    }

    private func admit(
        _ number: CallNumber, _ message: UnsafeRawBufferPointer, _ metadata: RPCMetadata, _ timeout: Duration?,
        _ session: RPCSession
    ) throws(RPCError) {
        try dispatcher.admit(
            number.raw, to: number.method, message: message, metadata: metadata, received: clocks.instant, timeout: timeout,
            of: session)
        inFlight[number.exchange] = number.raw
    }
}
