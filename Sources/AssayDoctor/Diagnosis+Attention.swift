import AssayAPI
import AssayCore

extension Assay_V1_StatusResponse {
    /// What the daemon itself says needs attention.
    var attentionFindings: [DoctorFinding] {
        guard !attention.isEmpty else {
            return [DoctorFinding(.ok, .attention, "", "nothing needs attention, by the daemon's own rules")]
        }
        return attention.map { item in
            let advice = AttentionAdvice(code: item.code)
            return DoctorFinding(advice.severity, item.code, item.app, item.message, do: advice.remedy)
        }
    }

    /// Roots of test authorities, which production has none of.
    var trustFindings: [DoctorFinding] {
        let names = anchors.filter(\.simulated).map(\.name)
        guard !names.isEmpty else { return [DoctorFinding(.ok, .testRoots, "", "no test root is trusted")] }
        return [
            DoctorFinding(
                .warning, .testRoots, "", "test roots are trusted: \(names.joined(separator: ", "))",
                do: "in production remove trust.test_roots, and accept_simulated of each app")
        ]
    }
}

/// How urgent a code of the daemon's status is, and what to do about it. docs/operate/status.md says what each means.
package struct AttentionAdvice: Hashable, Sendable {
    package let severity: DoctorFinding.Severity
    package let remedy: String
    /// Whether the code is known here: a newer daemon may have others.
    package let isKnown: Bool

    package init(code: String) {
        let known = Self.known(code)
        isKnown = known != nil
        let page = Documentation.page("operate/status.md")
        (severity, remedy) = known ?? (.warning, "look it up in \(page), under \"What needs looking after\"")
    }

    private static func known(_ code: String) -> (DoctorFinding.Severity, String)? {
        ledger(code) ?? dates(code) ?? parts(code)
    }

    /// The ledger and the clock.
    private static func ledger(_ code: String) -> (DoctorFinding.Severity, String)? {
        switch code {
        case "store_unavailable":
            (
                .problem,
                "read the daemon's log (journalctl -u assayd); free space, or bring the database back: it is tried again by itself"
            )
        case "store_damaged":
            (.problem, "stop the daemon, keep its files, and restore the last backup: assayd restore FILE")
        case "store_replaced":
            (.problem, "put the ledger's own files back; if the new ones are meant, restart the daemon")
        case "no_challenges": (.problem, "set the clock right; challenges are issued again from the time that is named")
        case "evidence_memory_full": (.problem, "raise store.max_spent_evidence, and restart the daemon")
        case "disk_low": (.problem, "free space, or enlarge the disk: when it is full nothing is accepted")
        case "reload_refused":
            (
                .warning,
                "if the change needs a restart, systemctl restart assayd; else correct the file (assayd check-config --strict FILE), "
                    + "then systemctl reload assayd"
            )
        default: nil
        }
    }

    /// What ends on a day: lists, certificates, keys.
    private static func dates(_ code: String) -> (DoctorFinding.Severity, String)? {
        let list =
            "let the daemon reach the list's address, or load a copy of it (assay feeds load); 'assay feeds' shows what failed"
        return switch code {
        case "feed_missing", "feed_outdated": (.problem, list)
        case "feed_not_refreshed": (.warning, list)
        case "certificate_expired": (.problem, "renew the certificate in its file, then systemctl reload assayd")
        case "certificate_expires_soon": (.warning, "renew the certificate in its file, then systemctl reload assayd")
        case "issuing_unavailable":
            (.problem, "bring the CA's key or token back ('assay ca list' shows which), or make the next CA: assay ca next")
        case "authority_expires_soon": (.warning, "make the next CA (assay ca next), and add it to the configuration")
        case "revocation_list_not_refreshed":
            (
                .problem,
                "look at the CA's key and at revocation_lists.directory: those who check certificates refuse an old list"
            )
        case "result_key_unavailable": (.problem, "look at 'assay results keys': bring the token back, or add a key")
        case "result_key_ends_soon": (.warning, "make a key (assay results new-key), and add it to results.keys")
        case "result_key_missing": (.warning, "give this daemon the key that signs next, or bring its token back")
        case "status_lists_not_refreshed":
            (.problem, "look at 'assay results keys' and at the ledger: a block is not visible in the lists")
        default: nil
        }
    }

    /// What works beside the pipeline.
    private static func parts(_ code: String) -> (DoctorFinding.Severity, String)? {
        switch code {
        case "app_unavailable":
            (
                .problem,
                "bring back what the app needs: its list ('assay feeds'), or the vendor's service, which the daemon must reach"
            )
        case "plugin_not_ready": (.problem, "'assay plugin show' says why; when that is over: assay plugin enable")
        case "plugin_quarantine":
            (
                .warning,
                "give the evidence to who wrote the plugin (assay plugin quarantine show), and release it when the plugin is fixed"
            )
        case "records_unavailable": (.warning, "look at the file verdicts.file names, and at the space beside it")
        case "webhook_failing":
            (.warning, "'assay webhooks list' says what the receiver answers; afterwards: assay webhooks resend")
        case "verdicts_not_enforced":
            (
                .warning,
                "if that is no trial, take 'enforce' out of the app; 'assay report enforcement' shows what would be refused"
            )
        default: nil
        }
    }
}
