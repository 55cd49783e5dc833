import AssayCore

/// API keys inside the transaction.
extension WriterSession {
    func add(_ key: CallerKey, _ context: ChangeContext) throws(SQLiteError) -> Bool {
        guard try callerKeys.add(key) else { return false }
        try audit.append(.key(.createKey, key, context), at: context.time)
        return true
    }

    func revokeCallerKey(_ name: String, _ context: ChangeContext) throws(SQLiteError) -> CallerKey? {
        guard var key = try callerKeys.key(name) else { return nil }
        guard key.revokedAt == nil else { return key }
        try callerKeys.revoke(name, at: context.time)
        try audit.append(.key(.revokeKey, key, context), at: context.time)
        key.revokedAt = context.time
        return key
    }
}
