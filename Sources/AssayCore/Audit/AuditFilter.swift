/// Selects audit records. A field that is `nil` selects all.
public struct AuditFilter: Hashable, Sendable {
    public var app: AppID?
    public var device: DeviceID?
    public var caller: String?
    /// Selects records at this time or later.
    public var since: Timestamp?

    public init(app: AppID? = nil, device: DeviceID? = nil, caller: String? = nil, since: Timestamp? = nil) {
        (self.app, self.device, self.caller, self.since) = (app, device, caller, since)
    }

    /// Whether the filter selects a row. A record that cannot be decoded is selected only if the filter has no field but `since`.
    public func admits(_ row: AuditRow) -> Bool {
        if let since, row.time < since { return false }
        guard app != nil || device != nil || caller != nil else { return true }
        guard let entry = AuditEntry(decoding: row.record) else { return false }
        return (app == nil || entry.app == app) && (device == nil || entry.device == device)
            && (caller == nil || entry.caller == caller)
    }
}
