package import AssayCore

/// One verification of an audit log, wherever it is read from: follows the chain, and compares it with heads that were kept
/// elsewhere and with the ledger's public key.
package struct AuditCheck: Sendable {
    private let publicKey: [UInt8]?
    private var expected: [ExpectedAuditHead] = []
    private var expectedStart: ExpectedAuditStart?
    private var verifier: AuditVerifier?
    private var first = AuditChain()
    /// The lowest start that a signed head names.
    private var earliestStart: AuditChain?
    /// What was found wrong beside the chain.
    private var fault: AuditError?
    private var goodSignatures = 0
    private var uncheckedSignatures = 0

    /// - Parameter publicKey: 32 bytes in base64url, as the status shows them; `nil`: signatures are not verified.
    package init(publicKey text: String?) throws(AuditCheckError) {
        guard let text else {
            publicKey = nil
            return
        }
        guard let key = ByteText.decode(text, count: 32) else {
            throw AuditCheckError("\"\(text.prefix(60))\" is no public key: want 32 bytes in \(ByteText.forms)")
        }
        publicKey = key
    }

    /// Expects a head that was kept elsewhere. Before `begin`.
    package mutating func expect(_ text: String) throws(AuditCheckError) {
        guard let head = ExpectedAuditHead(text) else {
            throw AuditCheckError(
                "\"\(text.prefix(60))\" is no head: want HASH, HASH:NUMBER or a signed head as status and log show it")
        }
        expect(head)
    }

    /// The same. The signature is verified where there is one.
    package mutating func expect(_ head: ExpectedAuditHead) {
        if let signed = head.signed { checkSignature(signed) }
        expected.append(head)
    }

    /// Expects the log to begin at one place. Before `begin`.
    package mutating func expectStart(_ text: String) throws(AuditCheckError) {
        guard let start = ExpectedAuditStart(text) else {
            throw AuditCheckError(
                "\"\(text.prefix(60))\" is no start: want the number of the first record, from 1 on, or HASH:NUMBER, the head before it"
            )
        }
        expectedStart = start
    }

    /// Says where the log begins. Once.
    package mutating func begin(at start: AuditChain) {
        first = start
        // Where a signed head says that the log began is a head that the chain passes, unless it was dropped since.
        let starts = expected.compactMap { head in
            head.start.flatMap { $0.number >= start.number ? ExpectedAuditHead($0) : nil }
        }
        verifier = AuditVerifier(from: start, expecting: expected + starts)
        for head in expected { note(head.start) }
        if let fault = expectedStart?.fault(in: start) { report(fault) }
    }

    private mutating func note(_ start: AuditChain?) {
        guard let start, start.number < earliestStart?.number ?? .max else { return }
        earliestStart = start
    }

    /// True from `begin` on.
    package var hasBegun: Bool { verifier != nil }
    /// True if the chain is broken: more rows would change nothing.
    package var isDecided: Bool { verifier?.isDecided ?? false }
    /// As far as the rows are chained.
    package var chain: AuditChain { verifier?.chain ?? first }

    package mutating func take(_ row: AuditRow) { verifier?.take(row) }

    /// A signed head that stands in the log itself, behind the record that it names.
    package mutating func take(_ head: SignedAuditHead) {
        checkSignature(head)
        note(head.start)
        guard !isDecided, chain != head.chain else { return }
        report(
            AuditError(
                head.chain.number > chain.number ? .missing : .rewritten, at: min(head.chain.number, chain.number &+ 1),
                "a signed head names record \(head.chain.number), but record \(chain.number) stands before it"))
    }

    /// Something that was found wrong by other means. The lowest number counts.
    package mutating func report(_ found: AuditError) {
        if let fault, fault.number <= found.number { return }
        fault = found
    }

    private mutating func checkSignature(_ head: SignedAuditHead) {
        guard let publicKey else {
            uncheckedSignatures += 1
            return
        }
        guard head.isSigned(by: publicKey) else {
            return report(AuditError(.badSignature, at: head.chain.number, "its signed head is not by that key"))
        }
        goodSignatures += 1
    }

    package mutating func finish() -> AuditReport {
        // Of the same number, the chain's own fault says most.
        var found = verifier?.finish()
        if let fault, fault.number < found?.number ?? .max { found = fault }
        return AuditReport(
            start: first, chain: chain, fault: found, expected: expected.count, isStartExpected: expectedStart != nil,
            cutSince: earliestStart.map { max(0, first.number &- $0.number) } ?? 0,
            goodSignatures: goodSignatures, uncheckedSignatures: uncheckedSignatures)
    }
}

/// What was asked for cannot be checked: a sentence.
package struct AuditCheckError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}

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
