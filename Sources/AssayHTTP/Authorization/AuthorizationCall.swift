import AssayAPI
import AssayCore
import AssayProtobuf
import AssayRPC

/// A client's request as a call of the method Verify, and what its answer needs of it.
///
/// The binding is Assay's own client data, which the device signs over the body's SHA-256. Other bindings leave something to the caller's word,
/// and here that would be the client's.
struct AuthorizationCall: Hashable, Sendable {
    /// The gRPC path of the method that is called.
    static let method = API.verify.path

    /// What is known of the body.
    enum Body: Hashable, Sendable {
        /// It is not passed on, or there is none.
        case unseen
        /// The SHA-256 of all of it.
        case whole(sha256: [UInt8])
    }

    /// The serialised `assay.v1.VerifyRequest`.
    let request: [UInt8]
    let app: AppID
    let purpose: Purpose
    /// The SHA-256 that is bound; `nil`: no body is.
    let payload: [UInt8]?
    /// Whether nothing here has compared the SHA-256 with the body.
    let isPayloadDeclared: Bool
    /// Names of the client's fields that a service could take for those of the answer.
    let lookalikes: [String]

    /// - Parameter sourceAddress: the client's, as text; what is not an address is left out, as a proxy's socket is.
    init(_ headers: AuthorizationHeaders, body: Body, sourceAddress: String?) throws(RPCError) {
        app = try headers.app()
        purpose = try headers.purpose()
        lookalikes = headers.lookalikes
        let (payload, isDeclared) = try Self.payload(try headers.contentSHA256(), body, headers.announcesBody)
        (self.payload, isPayloadDeclared) = (payload, isDeclared)

        var writer = ProtobufWriter(capacity: 512)
        writer.write(1, app.text)
        writer.write(2, Int64(purpose.message.rawValue))
        writer.write(3, try headers.challenge())
        writer.write(4, headers.text(.context))
        for piece in try headers.evidence() { writer.writeAlways(5, piece) }
        writer.writeMessage(6) { binding in binding.writeMessage(1) { $0.write(1, payload ?? []) } }
        writer.write(7, headers.text(.subject))
        writer.write(9, try headers.idempotencyKey())
        writer.write(10, sourceAddress.flatMap { SourceAddress(text: $0.utf8) }?.text ?? "")
        request = writer.finish()
    }

    private static func payload(
        _ declared: [UInt8]?, _ body: Body, _ announcesBody: Bool
    ) throws(RPCError) -> (payload: [UInt8]?, isDeclared: Bool) {
        switch body {
        case .whole(let computed):
            guard declared == nil || declared == computed else { throw .contentMismatch }
            return (computed, false)
        case .unseen:
            guard declared != nil || !announcesBody else { throw .missing(.contentSHA256) }
            return (declared, true)
        }
    }
}
