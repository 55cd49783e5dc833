package import AssayCore

extension AuditCheck {
    /// Verifies the audit log of a ledger. A daemon may run on it meanwhile.
    package mutating func run(on ledger: any LedgerBackend) throws -> AuditReport {
        var cutFrom: AuditChain?
        try ledger.readAudit { page in
            if !hasBegun { begin(at: page.start) }
            // Dropped by the daemon between two pages.
            if page.start.number > chain.number { cutFrom = page.start }
            guard cutFrom == nil else { return false }
            for row in page.rows { take(row) }
            return !isDecided
        }
        if let cutFrom { throw AuditCheckError("records up to \(cutFrom.number) were dropped while they were read; try again") }
        return finish()
    }
}
