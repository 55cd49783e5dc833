import AssayCore
import AssayLedger

/// What signed results need, inside the transaction.
extension WriterSession {
    func publish(_ keys: [ResultPublicKey], _ context: ChangeContext) throws(SQLiteError) -> Int {
        var count = 0
        for key in keys {
            guard let added = try resultKeys.add(key, at: context.time) else { continue }
            try audit.append(.publish(key, signs: added.signsFrom != nil, context), at: context.time)
            count += 1
        }
        return count
    }

    func setSigning(
        _ identifier: [UInt8], from time: Timestamp, _ context: ChangeContext
    ) throws(SQLiteError) -> PublishedResultKey? {
        guard var key = try resultKeys.key(identifier) else { return nil }
        guard key.signsFrom != time else { return key }
        try resultKeys.setSigning(identifier, from: time)
        try audit.append(.sign(with: key.key, from: time, context), at: context.time)
        key.signsFrom = time
        return key
    }

    /// Follows a block that was set or lifted: the cache forgets the device, and what its places say may have changed.
    func noteBlock(of device: DeviceID) throws(SQLiteError) {
        note(.unclear(device))
        try statuses.note(device)
    }
}
