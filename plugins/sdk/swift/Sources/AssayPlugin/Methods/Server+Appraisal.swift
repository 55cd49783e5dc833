internal import SwiftProtobuf

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Locate, Appraise, Prepare and Observe.
extension Server {
    func locate(_ request: Assay_Plugin_V1_LocateRequest) throws -> Assay_Plugin_V1_LocateResponse {
        try requireConfigured("Locate")
        let format = try format(request.format, request.body)
        let app = try name(request.app, "app")
        do {
            let located = LocateRequest(format: format.name, app: app, body: Array(request.body))
            let subjectKey = try plugin?.locate(located) ?? []
            return .with { $0.subjectKey = Data(subjectKey) }
        } catch let refusal as Refusal {
            return .with { $0.refusal = .init(refusal) }
        }
    }

    func appraise(
        _ request: Assay_Plugin_V1_AppraiseRequest, _ deadline: Int64?
    ) throws -> Assay_Plugin_V1_AppraiseResponse {
        try requireConfigured("Appraise")
        let format = try format(request.format, request.body)
        let evidence = try evidence(request, format)
        var appraisal = Appraisal(of: format)
        try withHost(request.callToken, deadline) { host in
            do {
                try plugin?.appraise(evidence, &appraisal, host: host)
            } catch let refusal as Refusal {
                appraisal.refuse(refusal)
            } catch is Appraisal.Ended {
                // The finding says why.
            }
        }
        if let fault = appraisal.fault { throw fault }
        if appraisal.isGood, !appraisal.findings.isEmpty, let fault = appraisal.freshnessFault { throw fault }
        return .init(appraisal)
    }

    private func evidence(_ request: Assay_Plugin_V1_AppraiseRequest, _ format: Format) throws -> Evidence {
        guard let purpose = Purpose(rawValue: request.purpose.rawValue), format.purposes.contains(purpose) else {
            throw Self.fault(
                .invalidArgument, "unknown_purpose", "the format \(format.name) is not for purpose \(request.purpose.rawValue)")
        }
        guard format.freshness != .challenge || request.hasExpected else {
            throw Self.fault(
                .invalidArgument, "no_client_data", "the format \(format.name) needs the client data that the device signed")
        }
        guard format.freshness != .payload || request.expected.payloadSha256.count == 32 else {
            throw Self.fault(.invalidArgument, "no_payload", "the format \(format.name) needs the SHA-256 of a payload")
        }
        return Evidence(
            format: format.name,
            app: try name(request.app, "app"),
            purpose: purpose,
            body: Array(request.body),
            clientData: Array(request.expected.clientData),
            payloadSHA256: request.expected.payloadSha256.isEmpty ? nil : Array(request.expected.payloadSha256),
            signals: request.expected.signals.isEmpty ? nil : Array(request.expected.signals),
            nowMilliseconds: try time(request.nowUnixMs),
            device: request.hasDevice ? Device(request.device) : nil,
            requestID: Array(request.requestID))
    }

    func prepare(_ request: Assay_Plugin_V1_PrepareRequest, _ deadline: Int64?) throws -> Assay_Plugin_V1_PrepareResponse {
        try requireConfigured("Prepare")
        let format = try format(request.format, request.body)
        let app = try name(request.app, "app")
        do {
            let asked = PrepareRequest(
                format: format.name, app: app, body: Array(request.body), nowMilliseconds: try time(request.nowUnixMs))
            let prepared = try withHost(request.callToken, deadline) { try plugin?.prepare(asked, host: $0) }
            return .with {
                $0.body = Data(prepared?.body ?? [])
                $0.expiryUnixMs = prepared?.expiryMilliseconds ?? 0
            }
        } catch let refusal as Refusal {
            return .with { $0.refusal = .init(refusal) }
        }
    }

    func observe(_ request: Assay_Plugin_V1_ObserveRequest, _ deadline: Int64?) throws -> Assay_Plugin_V1_ObserveResponse {
        try requireConfigured("Observe")
        let events = request.events.map { VerdictEvent($0) }
        try withHost([], deadline) { try plugin?.observe(events, dropped: request.dropped, host: $0) }
        return .init()
    }

    /// The daemon asks only for what was declared; a request for anything else is answered all the same.
    private func format(_ name: Data, _ body: Data) throws -> Format {
        guard let format = description.formats.first(where: { $0.name.utf8.elementsEqual(name) }) else {
            throw Self.fault(.invalidArgument, "unknown_format", "the plugin does not appraise this format")
        }
        guard body.count <= format.sizeLimit else {
            throw Self.fault(
                .invalidArgument, "body_too_large",
                "a body of \(format.name) has at most \(format.sizeLimit) bytes, this has \(body.count)")
        }
        return format
    }

    /// So that an author's arithmetic has room.
    private func time(_ milliseconds: Int64) throws -> Int64 {
        guard (0...253_402_300_799_999).contains(milliseconds) else {
            throw Self.fault(.invalidArgument, "undecodable_message", "expected a time from 1970 to 9999 in now_unix_ms")
        }
        return milliseconds
    }

    private func name(_ bytes: Data, _ field: String) throws -> String {
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            throw Self.fault(.invalidArgument, "undecodable_message", "expected ASCII in \(field)")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
