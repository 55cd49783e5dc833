public import AssayCore

extension ChangeContext {
    /// A change that a test makes.
    public static func test(at time: Timestamp = Timestamp(unixSeconds: 0), reason: String = "") -> ChangeContext {
        ChangeContext(.caller("test"), at: time, reason: reason)
    }
}

/// Changes by a caller that the test does not look at.
extension BlockRegistry {
    public func block(
        _ target: BlockTarget, reason: String, at time: Timestamp
    ) async throws(LedgerError) -> BlockChange? {
        try await block(target, .test(at: time, reason: reason))
    }

    public func unblock(_ target: BlockTarget) async throws(LedgerError) -> BlockChange? { try await unblock(target, .test()) }
}

extension DeviceRegistry {
    public func forget(_ id: DeviceID) async throws(LedgerError) -> ForgottenDevice? { try await forget(id, .test()) }

    public func add(imported devices: [Device]) async throws(LedgerError) -> [ImportOutcome] {
        try await add(imported: devices, .test())
    }
}

extension AuditLog {
    public func forgetAuditClaims(of device: DeviceID, app: AppID) async throws(LedgerError) -> Int64 {
        try await forgetAuditClaims(of: device, app: app, .test())
    }
}
