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
    /// The signed head of a status; `nil` if it has none. A daemon that does not sign the start gives version 1.
    public init?(_ status: Assay_V1_StatusResponse) {
        guard status.hasAudit else { return nil }
        self.init(status.audit)
    }

    /// As above.
    public init?(_ audit: Assay_V1_StatusResponse.Audit) {
        guard !audit.signature.isEmpty else { return nil }
        let chain = AuditChain(number: audit.count, head: Array(audit.head))
        let time = Timestamp(unixMilliseconds: audit.signedAtUnixMs)
        guard !audit.spanSignature.isEmpty else {
            self.init(chain, from: nil, at: time, signature: Array(audit.signature))
            return
        }
        let start = AuditChain(number: audit.dropped, head: Array(audit.startHead))
        self.init(chain, from: start, at: time, signature: Array(audit.spanSignature))
    }
}
