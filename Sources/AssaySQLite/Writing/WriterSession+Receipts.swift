import AssayCore

extension WriterSession {
    /// Keeps what became of an attempt to exchange a receipt. Nothing happens if the device is gone.
    func keep(_ outcome: ReceiptOutcome) throws(SQLiteFailure) {
        try devices.keep(outcome)
        note(.unclear(outcome.device))
    }
}

extension DeviceTable {
    func keep(_ outcome: ReceiptOutcome) throws(SQLiteFailure) {
        // Once a week for each device: nothing is kept prepared.
        let update = try SQLiteStatement(
            connection,
            """
            UPDATE devices SET receipt_due = ?2, receipt_failures = ?3, receipt_end = ?4, risk_metric = ?5,
                risk_metric_at = ?6, receipt = coalesce(?7, receipt) WHERE id = ?1
            """)
        update.bind(1, outcome.device.bytes)
        update.bind(outcome.exchange, from: 2)
        update.bind(7, outcome.receipt)
        try update.run()
    }
}

extension SQLiteStatement {
    /// Five columns, in the order of the table.
    func bind(_ exchange: ReceiptExchange, from index: Int32) {
        bind(index, exchange.due?.unixMilliseconds)
        bind(index + 1, Int64(exchange.failures))
        bind(index + 2, exchange.end?.rawValue)
        bind(index + 3, exchange.metric?.value)
        bind(index + 4, exchange.metric?.at.unixMilliseconds)
    }
}
