import AssayRPC
import NIOCore
import Synchronization

/// The uploads that proxies ask about on one connection, from the request to its answer, which needs both.
final class UploadCalls: Sendable {
    private let calls = Mutex<[UInt64: AuthorizationCall]>([:])

    /// - Parameter number: that of the call which judges the upload.
    func note(_ call: AuthorizationCall, _ number: CallNumber) { calls.withLock { $0[number.raw] = call } }

    func forget(_ number: UInt64) { calls.withLock { _ = $0.removeValue(forKey: number) } }

    /// The answer to the proxy, by the verdict or by why there is none.
    ///
    /// - Parameter number: `nil` where the request could not be read as an upload.
    func answer(_ verdict: Result<[UInt8], RPCError>, _ form: CallForm, _ number: CallNumber?) -> HTTPAnswer {
        let call = number.flatMap { number in calls.withLock { $0.removeValue(forKey: number.raw) } }
        guard form == .subrequest else {
            var body = ByteBuffer()
            body.writeEnvelope(flags: 0, EnvoyAuthorization.answer(verdict, to: call))
            return HTTPAnswer(head: .usual(.grpc), body: body, trailers: .ok)
        }
        let answer = SubrequestAuthorization.answer(verdict, to: call)
        return HTTPAnswer(
            head: .other(status: answer.status, answer.fields.map { ($0.name, $0.value) }), body: ByteBuffer(bytes: answer.body)
        )
    }
}
