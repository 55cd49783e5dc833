import AssayCore

extension MemoryState {
    func receipts(in queue: ReceiptQueue, dueAt now: Timestamp, limit: Int) -> DueReceipts {
        let due = devices.values.filter { device in
            device.app == queue.app && device.registration.environment == queue.environment
                && device.exchange.due.map { $0 <= now } == true
        }
        let first = due.sorted { ($0.exchange.due ?? now, numbers[$0.id] ?? 0) < ($1.exchange.due ?? now, numbers[$1.id] ?? 0) }
            .prefix(max(0, limit)).compactMap { device($0.id) }
        return DueReceipts(devices: first, count: min(due.count, DueReceipts.countLimit))
    }

    mutating func keep(_ outcome: ReceiptOutcome) {
        guard let device = devices[outcome.device] else { return }
        devices[outcome.device] = device.keeping(outcome)
    }
}

extension Device {
    fileprivate func keeping(_ outcome: ReceiptOutcome) -> Device {
        Device(
            id: id, app: app, subject: subject,
            registration: outcome.receipt.map { registration.replacing(receipt: $0) } ?? registration,
            registeredAt: registeredAt, blocks: blocks, counter: counter, counterWindow: counterWindow,
            lastAcceptedAt: lastAcceptedAt, exchange: outcome.exchange)
    }
}
