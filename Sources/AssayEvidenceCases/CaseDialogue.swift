import AssayAPI
import AssayClient
package import AssayCore
import AssaySimulator

/// The dialogue of a test with `assayd test-server`: one JSON object a line, a reply for each request, in order.
///
///     {"id": 1, "method": "evidence", "params": {"case": "replayed", "challenge": "…", "payloadSha256": "…"}}
///     {"id": 1, "result": {"device": "phone-1", …, "request": {…}, "expected": {"decision": "DECISION_REJECTED", …}, …}}
///     {"id": 2, "error": {"code": "unknown_case", "message": "…"}}
///
/// `docs/start/test-your-handler.md` has the members. Bytes are Base64, as in the JSON of the API.
package enum CaseDialogue {
    /// The longest line that is read, in bytes. A request names hashes, never payloads.
    package static let lineLimit = 64 * 1024

    /// The reply to a line, without its end.
    package static func reply(to line: [UInt8], by maker: EvidenceMaker) async -> [UInt8] {
        var id = JSONDraft.literal("null")
        do {
            let fields = try fields(of: line)
            if let given = fields.object["id".utf8] { id = .literal(String(decoding: given.text, as: UTF8.self)) }
            return written(id, "result", try await result(of: fields, maker))
        } catch {
            let failure = CaseError(of: error)
            return written(
                id, "error",
                .object([.init("code", .text(failure.code.rawValue)), .init("message", .text(failure.description))]))
        }
    }

    /// The line that says that a server is ready.
    ///
    /// - Parameter members: what else it says.
    package static func ready(app: AppID, _ members: [(name: String, value: String)]) -> [UInt8] {
        let devices = EvidenceMaker.usualDevices.map { JSONDraft.Member($0.name, .text($0.platform.rawValue)) }
        return JSONDraft.object([
            .init(
                "ready",
                .object(
                    members.map { .init($0.name, .text($0.value)) } + [
                        .init("app", .text(app.text)), .init("devices", .object(devices)),
                    ]))
        ]).bytes
    }

    private static func written(_ id: JSONDraft, _ name: String, _ value: JSONDraft) -> [UInt8] {
        JSONDraft.object([.init("id", id), .init(name, value)]).bytes
    }

    private static func fields(of line: [UInt8]) throws(CaseError) -> JSONFields {
        guard line.count <= lineLimit else {
            throw CaseError(.malformedRequest, "a line has at most \(lineLimit) bytes")
        }
        do throws(Rejection) { return try JSONFields(parsing: line[...], code: .malformed) } catch {
            throw CaseError(.malformedRequest, "the line is \(error.detail)")
        }
    }

    private static func result(of fields: JSONFields, _ maker: EvidenceMaker) async throws -> JSONDraft {
        switch try fields.text("method") {
        case "evidence":
            let params = try fields.required("params", try fields.section("params"))
            return try describe(try await maker.make(try CaseRequest(params)))
        case "cases": return .array(EvidenceCase.all.map(describe) + ReasonCode.allCases.compactMap(describe))
        case let method?:
            throw CaseError(.malformedRequest, "there is no method \"\(method)\": want evidence or cases")
        case nil: throw CaseError(.malformedRequest, "the line names no method: want evidence or cases")
        }
    }

    // MARK: What is told

    private static func describe(_ made: MadeEvidence) throws -> JSONDraft {
        let request = String(decoding: try made.request.json(), as: UTF8.self)
        return .object([
            .init("device", .text(made.device)), .init("platform", .text(made.platform.rawValue)),
            .init("purpose", .text(made.request.purpose.name)),
            .init("challenge", .text(Base64.standard.encode(made.request.challenge))),
            .init("request", .literal(request)), .init("expected", outcome(made.expected)),
            .init("needs", .texts(made.needs.map(\.rawValue).sorted())),
        ])
    }

    /// The members of a verdict that are known beforehand, as the API's JSON spells them.
    private static func outcome(_ code: ReasonCode?) -> JSONDraft {
        guard let code else { return .object([.init("decision", .text("DECISION_ACCEPTED"))]) }
        return .object([
            .init("decision", .text("DECISION_REJECTED")), .init("reason", .text(code.rawValue)),
            .init("retry", .text("RETRY_CLASS_" + code.retry.rawValue.uppercased())),
        ])
    }

    private static func describe(_ entry: EvidenceCase) -> JSONDraft {
        .object([
            .init("case", .text(entry.name)), .init("summary", .text(entry.summary)),
            .init("purposes", .texts(entry.purposes.map(\.name))),
            .init("platforms", .texts(entry.platforms.map(\.rawValue))),
            .init("needs", .texts(entry.needs.map(\.rawValue).sorted())),
        ])
    }

    /// A code that no case causes.
    private static func describe(_ code: ReasonCode) -> JSONDraft? {
        code.whyNoCase.map { .object([.init("code", .text(code.rawValue)), .init("not_made", .text($0))]) }
    }
}

extension CaseError {
    /// Any failure of a request, as it is told.
    fileprivate init(of error: any Error) {
        switch error {
        case let error as CaseError: self = error
        case let error as Rejection: self.init(.malformedRequest, error.detail)
        case let error as AssayError: self.init(.daemon, "the daemon does not answer: \(error)")
        default: self.init(.preparation, "\(error)")
        }
    }
}

extension CaseRequest {
    /// Reads the members of a request. An unknown one is refused: a misspelt challenge would be taken for none.
    fileprivate init(_ params: JSONFields) throws {
        for member in params.object.members {
            let name = String(decoding: member.name, as: UTF8.self)
            guard Self.members.contains(name) else {
                throw CaseError(
                    .malformedRequest, "there is no parameter \"\(name)\"; there are \(Self.members.joined(separator: ", "))")
            }
        }
        self.init(try params.required("case", try params.text("case")))
        device = try params.text("device")
        scope = try params.text("scope") ?? ""
        platform = try params.text("platform").map { name in
            guard let platform = CasePlatform(rawValue: name) else {
                throw CaseError(.malformedRequest, "platform is iphone, android or mac, not \"\(name)\"")
            }
            return platform
        }
        purpose = try params.text("purpose").map { name in
            guard let purpose = [Purpose.register, .assert].first(where: { $0.name == name }) else {
                throw CaseError(.malformedRequest, "purpose is assert or register, not \"\(name)\"")
            }
            return purpose
        }
        challenge = try params.bytes("challenge", in: Challenge.length...Challenge.length)
        context = try params.bytes("context", in: 0...Challenge.contextLimit) ?? []
        payloadHash = try params.bytes("payloadSha256", in: 32...32)
        subject = try params.bytes("subject", in: 0...VerificationRequest.subjectLimit) ?? []
        idempotencyKey = try params.bytes("idempotencyKey", in: 0...VerificationRequest.idempotencyKeyLimit) ?? []
        expectedDevice = try params.bytes("expectedDeviceId", in: DeviceID.length...DeviceID.length)
            .flatMap { DeviceID(bytes: $0) }
    }

    private static let members = [
        "case", "device", "scope", "platform", "purpose", "challenge", "context", "payloadSha256", "subject", "idempotencyKey",
        "expectedDeviceId",
    ]
}

extension JSONFields {
    /// Bytes in Base64, of either alphabet.
    fileprivate func bytes(_ name: String, in lengths: ClosedRange<Int>) throws -> [UInt8]? {
        guard let text = try utf8(name) else { return nil }
        guard let bytes = Base64.decode(eitherAlphabet: text[...]) else {
            throw CaseError(.malformedRequest, "\(name) is not Base64")
        }
        guard lengths.contains(bytes.count) else {
            let wanted = lengths.count == 1 ? "\(lengths.lowerBound)" : "at most \(lengths.upperBound)"
            throw CaseError(.malformedRequest, "\(name) has \(bytes.count) bytes, want \(wanted)")
        }
        return bytes
    }
}
