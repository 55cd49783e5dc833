import AssayCore

/// Looks up the serial numbers of a chain in Google's revocation list. The creator of the snapshot parses the list's
/// hexadecimal keys.
struct RevocationCheck {
    let knowledge: RevocationKnowledge
    /// Whether a suspended certificate is accepted, with a note.
    let allowsSuspended: Bool

    /// - Parameter serials: leaf first, as unsigned big-endian integers. Most leaves have the number 1, which identifies
    ///   nothing, so a leaf's number is looked up only if it is greater.
    func judge(_ serials: [[UInt8]], in appraisal: inout Appraisal) throws(Rejection) {
        let snapshot: RevocationSnapshot
        switch knowledge {
        case .notConsulted:
            return appraisal.note(
                "revocation", "revocation_not_consulted", "the app runs without a list of revoked certificates")
        case .unavailable(let why): return appraisal.unavailable("revocation", "revocation_unavailable", why)
        case .snapshot(let known): snapshot = known
        }
        appraisal.feeds.append(snapshot.feed)
        for (index, serial) in serials.enumerated() where index > 0 || Self.isTelling(serial) {
            guard let entry = snapshot[serial] else { continue }
            let status = entry.status.text
            appraisal.claims.add("revocation_status", .text(status))
            appraisal.claims.add("revocation_reason", entry.reason.isEmpty ? nil : .text(entry.reason))
            guard entry.status == .suspended, allowsSuspended else {
                return try appraisal.require(
                    "revocation", false, else: .revoked, "certificate \(index) of the chain stands on the list as \(status)")
            }
            appraisal.note("revocation", "suspended", "a certificate of the chain is suspended, which the app allows")
        }
        appraisal.findings.append(.pass("revocation"))
    }

    private static func isTelling(_ serial: [UInt8]) -> Bool {
        let magnitude = SerialNumber.magnitude(serial)
        return magnitude.count > 1 || (magnitude.first ?? 0) > 1
    }
}
