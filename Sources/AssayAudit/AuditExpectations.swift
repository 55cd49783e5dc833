package import AssayCore

/// What an audit log is compared with: heads and starts of its chains that were kept elsewhere, and the ledger's public key.
///
/// A head or start that names no writer is one of the chain that is read by itself: the only one, or that of the daemon's own writer.
package struct AuditExpectations: Sendable {
    private let publicKey: [UInt8]?
    private var heads: [ExpectedAuditHead] = []
    private var starts: [ExpectedAuditStart] = []

    /// - Parameter publicKey: 32 bytes in base64url, as the status shows them; `nil`: signatures are not verified.
    package init(publicKey text: String? = nil) throws(AuditCheckError) {
        guard let text else {
            publicKey = nil
            return
        }
        guard let key = ByteText.decode(text, count: 32) else {
            throw AuditCheckError("\"\(text.prefix(60))\" is no public key: want 32 bytes in \(ByteText.forms)")
        }
        publicKey = key
    }

    /// Expects a head that was kept elsewhere.
    package mutating func expect(_ text: String) throws(AuditCheckError) {
        guard let head = ExpectedAuditHead(text) else {
            throw AuditCheckError(
                "\"\(text.prefix(60))\" is no head: want HASH, HASH:NUMBER or a signed head as status and log show it, with the writer's name and a slash before it where the ledger has several"
            )
        }
        expect(head)
    }

    /// The same. The signature is verified where there is one.
    package mutating func expect(_ head: ExpectedAuditHead) { heads.append(head) }

    /// Expects a chain to begin at one place.
    package mutating func expectStart(_ text: String) throws(AuditCheckError) {
        guard let start = ExpectedAuditStart(text) else {
            throw AuditCheckError(
                "\"\(text.prefix(60))\" is no start: want the number of the first record, from 1 on, or HASH:NUMBER, the head before it, with the writer's name and a slash before it where the ledger has several"
            )
        }
        starts.append(start)
    }

    /// A new check of one writer's chain.
    ///
    /// - Parameter own: the writer of what names none.
    package func check(of writer: AuditWriter, own: AuditWriter) -> AuditCheck {
        AuditCheck(
            of: writer, publicKey: publicKey, heads: heads.filter { $0.writer.or(own) == writer },
            starts: starts.filter { $0.writer.or(own) == writer })
    }

    /// The report of all chains: those that were checked, and the expected ones that were not found.
    package func report(_ chains: [AuditReport], own: AuditWriter) -> AuditLogReport {
        let expected = Set((heads.map(\.writer) + starts.map(\.writer)).map { $0.or(own) })
        let missing = expected.subtracting(chains.map(\.writer)).sorted()
        return AuditLogReport(chains: chains + missing.map(AuditReport.init(missing:)))
    }

    /// Verifies the audit log of a ledger with the chains of all its writers. A daemon may run on it meanwhile.
    package func check(_ ledger: any LedgerBackend) throws -> AuditLogReport {
        let own = ledger.auditWriter
        let reports = try ledger.auditEnds().map { end in
            var check = check(of: end.writer, own: own)
            try check.read(ledger, to: end.chain)
            return check.finish()
        }
        guard !reports.isEmpty else { throw AuditCheckError("it has no audit chain") }
        return report(reports, own: own)
    }
}

extension AuditWriter {
    /// This writer if it has a name, otherwise `own`.
    fileprivate func or(_ own: AuditWriter) -> AuditWriter { isNamed ? self : own }
}
