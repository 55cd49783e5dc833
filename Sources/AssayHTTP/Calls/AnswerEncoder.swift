import AssayAPI
import AssayCore
import AssayRPC
import NIOCore

/// Makes the answers of calls in their forms. Works on any thread: what is costly, such as JSON, is done on that of the handler.
struct AnswerEncoder: Sendable {
    let methods: HTTPMethods
    let uploads: UploadCalls
    let limit: Int

    /// The last bytes of a call.
    func answer(_ result: Result<[UInt8], RPCError>, to call: RPCCall) -> HTTPAnswer {
        let number = CallNumber(raw: call.id)
        if call.isStream { return end(error(of: result), number.form) }
        switch result {
        case .success(let message): return answer(message, number)
        case .failure(let error): return refusal(error, number.form, number)
        }
    }

    private func error(of result: Result<[UInt8], RPCError>) -> RPCError? {
        guard case .failure(let error) = result else { return nil }
        return error
    }

    private func answer(_ message: [UInt8], _ number: CallNumber) -> HTTPAnswer {
        let form = number.form
        do throws(RPCError) {
            guard message.count <= limit else { throw .replyTooLarge }
            let requestID = methods[number.method]?.requestID?.text(in: message)
            switch form {
            case .grpc, .grpcWeb, .grpcWebText, .connectStreamProtobuf, .connectStreamJSON:
                var answer = end(nil, form)
                var body = try item(message, number)
                body.writeBuffer(&answer.body)
                (answer.body, answer.requestID) = (body, requestID)
                return answer
            case .connectProtobuf:
                return HTTPAnswer(
                    head: .usual(.connect(.protobuf)), requestID: requestID, body: ByteBuffer(bytes: message))
            case .connectJSON:
                return HTTPAnswer(
                    head: .usual(.connect(.json)), requestID: requestID,
                    body: ByteBuffer(bytes: try json(message, of: number.method)))
            case .envoy, .subrequest:
                return uploads.answer(.success(message), form, number)
            }
        } catch {
            return refusal(error, form, number)
        }
    }

    /// One message of a stream.
    func item(_ message: [UInt8], _ number: CallNumber) throws(RPCError) -> ByteBuffer {
        guard message.count <= limit else { throw .replyTooLarge }
        var bytes = ByteBuffer()
        let text = number.form.isJSON ? try json(message, of: number.method) : message
        bytes.writeEnvelope(flags: 0, text)
        return number.form == .grpcWebText ? TextBase64.encode(bytes) : bytes
    }

    private func json(_ message: [UInt8], of method: Int) throws(RPCError) -> [UInt8] {
        guard let json = methods[method]?.json else { throw .unserialisable }
        do throws(JSONMessageError) { return try json.writeResponse(message) } catch { throw .unserialisable }
    }

    /// The end of a stream, or of what has been answered by messages so far.
    func end(_ error: RPCError?, _ form: CallForm) -> HTTPAnswer {
        switch form {
        case .grpc, .envoy:
            return HTTPAnswer(head: .usual(.grpc), trailers: error.map { .other($0.grpcFields) } ?? .ok)
        case .grpcWeb, .grpcWebText:
            var bytes = ByteBuffer()
            bytes.writeEnvelope(flags: EnvelopePrefix.trailers, RPCError.grpcWebTrailers(error))
            let isText = form == .grpcWebText
            return HTTPAnswer(
                head: .usual(isText ? .grpcWebText : .grpcWeb), body: isText ? TextBase64.encode(bytes) : bytes)
        case .connectStreamProtobuf, .connectStreamJSON:
            var bytes = ByteBuffer()
            bytes.writeEnvelope(flags: EnvelopePrefix.endOfStream, RPCError.connectEndOfStream(error))
            return HTTPAnswer(head: .usual(.connectStream(form.isJSON ? .json : .protobuf)), body: bytes)
        case .connectProtobuf, .connectJSON:
            return error.map { refusal($0, form) } ?? HTTPAnswer(head: .usual(.connect(form.isJSON ? .json : .protobuf)))
        case .subrequest:
            return refusal(error ?? .unanswered, form)
        }
    }

    /// The answer to a call that has got no message.
    ///
    /// - Parameter number: `nil` for a request that has become no call.
    func refusal(_ error: RPCError, _ form: CallForm, _ number: CallNumber? = nil) -> HTTPAnswer {
        switch form {
        case .grpc, .grpcWeb, .grpcWebText, .connectStreamProtobuf, .connectStreamJSON: return end(error, form)
        case .connectProtobuf, .connectJSON: return Self.connect(error)
        case .envoy, .subrequest: return uploads.answer(.failure(error), form, number)
        }
    }

    /// An error as Connect states it, which also answers what is no call.
    ///
    /// - Parameter status: that of HTTP; `nil`: the error's.
    static func connect(_ error: RPCError, status: Int? = nil, _ fields: [HTTPAnswer.Field] = []) -> HTTPAnswer {
        var fields: [HTTPAnswer.Field] = [("content-type", "application/json")] + fields
        if let wait = error.retryAfterMilliseconds { fields.append(("retry-after", "\((wait + 999) / 1000)")) }
        let status = status ?? error.httpStatus
        // RFC 9110 §15.5.2. An API key is what a caller can show in a request.
        if status == 401 { fields.append(("www-authenticate", "Bearer")) }
        return HTTPAnswer(
            head: .other(status: status, fields), body: ByteBuffer(bytes: error.connectJSON))
    }
}
