import AssayCore

/// Devices inside the transaction, beside those that an entry registers.
extension WriterSession {
    /// Puts a device on record. False, and nothing changed, if its key or name is.
    func add(_ device: Device) throws(SQLiteFailure) -> Bool {
        guard try devices.add(device) else { return false }
        try counters.add(device)
        for block in device.blocks {
            guard let target = device.blockTarget(block.kind) else { continue }
            _ = try blocks.set(target, reason: block.reason, at: block.since) { note(.unclear($0)) }
        }
        return true
    }

    func add(imported device: Device) throws(SQLiteFailure) -> ImportOutcome {
        if let known = try devices.device(device.key) {
            return known.accounts(for: device) ? .present(known.id) : .conflict(known.id)
        }
        guard try !blocks.refuses(device) else { return .refused(.deviceBlocked) }
        guard try add(device) else { return .conflict(device.id) }
        return .added(device.id)
    }

    func forget(_ id: DeviceID) throws(SQLiteFailure) -> ForgottenDevice? {
        guard let device = try devices.device(id) else { return nil }
        try counters.remove(id)
        try devices.remove(id)
        let wasBlocked = try blocks.inherit(from: device)
        note(.unclear(id))
        return ForgottenDevice(keyStaysBlocked: wasBlocked)
    }
}
