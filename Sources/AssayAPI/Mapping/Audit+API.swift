public import AssayCore
import Foundation
import SwiftProtobuf

extension AuditRow {
    public var message: Assay_V1_AuditRow {
        .with {
            $0.number = number
            $0.timeUnixMs = time.unixMilliseconds
            $0.record = Data(record)
            $0.head = Data(head)
        }
    }

    public init(_ message: Assay_V1_AuditRow) {
        self.init(
            number: message.number, time: Timestamp(unixMilliseconds: message.timeUnixMs), record: Array(message.record),
            head: Array(message.head))
    }
}

extension AuditFilter {
    /// The filters of a request.
    public init(_ message: Assay_V1_ReadAuditRequest) throws(RequestError) {
        self.init(
            app: message.app.isEmpty ? nil : try AppID(field: message.app),
            device: try DeviceID?(field: "device_id", optional: message.deviceID),
            caller: message.caller.isEmpty ? nil : message.caller,
            since: message.sinceUnixMs == 0 ? nil : Timestamp(unixMilliseconds: message.sinceUnixMs))
    }

    /// Writes the filters to a request.
    public func write(to message: inout Assay_V1_ReadAuditRequest) {
        message.app = app?.text ?? ""
        message.deviceID = Data(device?.bytes ?? [])
        message.caller = caller ?? ""
        message.sinceUnixMs = since?.unixMilliseconds ?? 0
    }
}

extension SignedAuditHead {
    /// The signed head of a status; `nil` if it has none, or names a writer that cannot be. A daemon that does not sign the start gives
    /// version 1.
    public init?(_ status: Assay_V1_StatusResponse) {
        guard status.hasAudit else { return nil }
        self.init(status.audit)
    }

    /// As above.
    public init?(_ audit: Assay_V1_StatusResponse.Audit) {
        guard let writer = AuditWriter(field: audit.writer) else { return nil }
        guard !audit.signature.isEmpty || !audit.spanSignature.isEmpty else { return nil }
        let chain = AuditChain(number: audit.count, head: Array(audit.head))
        let time = Timestamp(unixMilliseconds: audit.signedAtUnixMs)
        guard !audit.spanSignature.isEmpty else {
            guard !writer.isNamed else { return nil }
            self.init(chain, from: nil, at: time, signature: Array(audit.signature))
            return
        }
        let start = AuditChain(number: audit.dropped, head: Array(audit.startHead))
        self.init(chain, of: writer, from: start, at: time, signature: Array(audit.spanSignature))
    }
}

extension Assay_V1_StatusResponse {
    /// The signed heads of all writers; the daemon's own is first. A daemon that lists no writers has one. A writer is left out if its
    /// head is not signed.
    public var signedAuditHeads: [SignedAuditHead] {
        guard !store.writers.isEmpty else { return [SignedAuditHead(self)].compactMap { $0 } }
        return store.writers.compactMap { message in
            guard !message.spanSignature.isEmpty, let status = AuditWriterStatus(message) else { return nil }
            return SignedAuditHead(
                status.end, of: status.writer, from: status.start, at: Timestamp(unixMilliseconds: audit.signedAtUnixMs),
                signature: Array(message.spanSignature))
        }
    }
}

extension AuditWriter {
    /// The writer that an answer names; `nil` if no writer has such a name. Without a name it is `only`.
    public init?(field text: String) {
        guard !text.isEmpty else {
            self = .only
            return
        }
        self.init(named: text)
    }
}

extension AuditWriterStatus {
    public var message: Assay_V1_StatusResponse.Writer {
        .with {
            $0.name = writer.name
            ($0.count, $0.head) = (end.number, Data(end.head))
            ($0.dropped, $0.startHead) = (start.number, Data(start.head))
            $0.lastEntryAtUnixMs = lastEntryAt?.unixMilliseconds ?? 0
        }
    }

    /// `nil` if no writer has such a name.
    public init?(_ message: Assay_V1_StatusResponse.Writer) {
        guard let writer = AuditWriter(field: message.name) else { return nil }
        let time = message.lastEntryAtUnixMs
        self.init(
            writer, start: AuditChain(number: message.dropped, head: Array(message.startHead)),
            end: AuditChain(number: message.count, head: Array(message.head)),
            lastEntryAt: time == 0 ? nil : Timestamp(unixMilliseconds: time))
    }
}
