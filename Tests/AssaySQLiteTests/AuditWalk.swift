import AssayCore
import AssaySQLite

/// Verifies the audit log in a ledger's file.
enum AuditWalk {
    static func fault(_ path: String, expecting heads: [ExpectedAuditHead] = []) throws -> AuditError? {
        var walk: AuditVerifier?
        try AuditFile.read(path) { page in
            var verifier = walk ?? AuditVerifier(from: page.start, expecting: heads)
            for row in page.rows { verifier.take(row) }
            walk = verifier
            return !verifier.isDecided
        }
        return walk?.finish()
    }

    static func isUnbroken(_ path: String) throws -> Bool { try fault(path) == nil }
}
