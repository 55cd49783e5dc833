import AssayProtobuf
import AssayRPC

/// Envoy's external authorization over gRPC, `envoy.service.auth.v3.Authorization`.
///
/// The answer is always a `CheckResponse`, also where there is no verdict: a gRPC error would be let through by a filter that says
/// `failure_mode_allow`.
enum EnvoyAuthorization {
    static let path = "/envoy.service.auth.v3.Authorization/Check"

    /// - Parameter message: a serialised `envoy.service.auth.v3.CheckRequest`.
    static func call(_ message: [UInt8]) throws(RPCError) -> AuthorizationCall {
        let check = try EnvoyCheckRequest(serialized: message)
        var headers = try AuthorizationHeaders(check.fields)
        for (name, value) in check.extensions {
            guard name.utf8.starts(with: "assay-".utf8) else { continue }
            guard let header = AuthorizationHeader(rawValue: name), extensions.contains(header) else { throw .unknownParameter }
            try headers.set(header, value)
        }
        return try AuthorizationCall(headers, body: try check.body(), sourceAddress: check.sourceAddress)
    }

    /// What the filter's `context_extensions` may state. It is believed in place of headers.
    private static let extensions: Set<AuthorizationHeader> = [.app, .purpose, .subject, .context]

    /// A serialised `envoy.service.auth.v3.CheckResponse`.
    ///
    /// - Parameter call: `nil` where ``call(_:)`` threw what `verdict` is now.
    static func answer(_ verdict: Result<[UInt8], RPCError>, to call: AuthorizationCall?) -> [UInt8] {
        let answer = AuthorizationAnswer(verdict, to: call, .envoy)
        var writer = ProtobufWriter(capacity: 512)
        // google.rpc.Status. Code 0 is what lets the request through.
        writer.writeMessage(1) { $0.write(1, Int64(answer.outcome.code.rawValue)) }
        if answer.outcome == .accepted {
            writer.writeMessage(3) { accepted in
                for field in answer.fields { accepted.write(field) }
                for name in removed(call, answer) { accepted.writeAlways(5, name) }
            }
        } else {
            writer.writeMessage(2) { denied in
                denied.writeMessage(1) { $0.write(1, Int64(answer.status)) }
                for field in answer.fields { denied.write(field) }
                denied.write(3, answer.body)
            }
        }
        return writer.finish()
    }

    /// The fields that do not reach the service: what was judged, which is of no use behind the proxy, and all that could be taken for the answer.
    private static func removed(_ call: AuthorizationCall?, _ answer: AuthorizationAnswer) -> [String] {
        var names = Set(AuthorizationHeader.allCases.map(\.rawValue) + AuthorizationHeader.Answered.allCases.map(\.rawValue))
        names.remove(AuthorizationHeader.idempotencyKey.rawValue)
        names.formUnion(call?.lookalikes ?? [])
        names.subtract(answer.fields.map(\.name))
        return names.sorted()
    }
}

extension AuthorizationAnswer.Outcome {
    fileprivate var code: RPCStatusCode {
        switch self {
        case .accepted: .ok
        case .rejected: .permissionDenied
        case .failed(let code): code == .ok ? .internalError : code
        }
    }
}

extension ProtobufWriter {
    /// A `HeaderValueOption` in field 2, with the action OVERWRITE_IF_EXISTS_OR_ADD. The field `append` of older versions is left out, which is to
    /// overwrite for them, too.
    fileprivate mutating func write(_ field: AuthorizationField) {
        writeMessage(2) { option in
            option.writeMessage(1) { header in
                header.write(1, field.name)
                header.write(2, field.value)
            }
            option.write(3, Int64(2))
        }
    }
}
