/// Something about a configuration that can be used and should be looked at: it will fail on this machine, or may surprise.
package struct ConfigurationFinding: Hashable, Sendable {
    package enum Severity: String, Sendable {
        /// The daemon does not start on this machine as it is now, or an app gives no verdicts.
        case failure
        case warning
        /// Works as written; explained because it is easily misunderstood.
        case note
    }

    /// Raw values are a contract (`assayd check-config --json`); docs/reference/check-config.md lists them.
    package enum Code: String, CaseIterable, Sendable {
        case ledgerFolder = "ledger_folder"
        case ledgerFile = "ledger_file"
        case ledgerDatabase = "ledger_database"
        case ledgerMissing = "ledger_missing"
        case newLedgerMarker = "new_ledger_marker"
        case newLedgerDeclared = "new_ledger_declared"
        case keyFile = "key_file"
        case fileUnreadable = "file_unreadable"
        case socketFolder = "socket_folder"
        case socketFile = "socket_file"
        case revocationFile = "revocation_file"
        case revocationCopy = "revocation_copy"
        case revocationEntries = "revocation_entries"
        case socketMode = "socket_mode"
        case addressUnresolved = "address_unresolved"
        case addressNotLocal = "address_not_local"
        case addressOverlap = "address_overlap"
        case addressInUse = "address_in_use"
        case daemonRunning = "daemon_running"
        case privilegedPort = "privileged_port"
        case policyUnmeetable = "policy_unmeetable"
        case keyCannotSign = "key_cannot_sign"
        case lookupUnused = "lookup_unused"
        case verdictsNotEnforced = "verdicts_not_enforced"
        case callerUnreachable = "caller_unreachable"
        case callerWithoutApps = "caller_without_apps"
        case appWithoutCaller = "app_without_caller"
        case appIDPrefix = "app_id_prefix"
        case testRoots = "test_roots"
        case softwareRoots = "software_roots"
        case simulatedAccepted = "simulated_accepted"
        case testKeys = "test_keys"
        case unlockedDevices = "unlocked_devices"
        case unauthenticatedNetwork = "unauthenticated_network"
        case certificateExpiresSoon = "certificate_expires_soon"
        case certificateUnfit = "certificate_unfit"
        case authorityExpired = "authority_expired"
        case privateKeyOpen = "private_key_open"
        case counterStrict = "counter_strict"
        case generatedKeys = "generated_keys"
        case issuingKey = "issuing_key"
        case issuingToken = "issuing_token"
        case issuingNone = "issuing_none"
        case issuingEnded = "issuing_ended"
        case issuingEndsSoon = "issuing_ends_soon"
        case revocationDirectory = "revocation_directory"
        case fleetArcDiffers = "fleet_arc_differs"
        case issuingRoot = "issuing_root"
        case issuingStartShared = "issuing_start_shared"
        case revocationURLShared = "revocation_url_shared"
        case revocationURLUnwritten = "revocation_url_unwritten"
        case pluginCatalog = "plugin_catalog"
        case pluginFile = "plugin_file"
        case pluginLauncher = "plugin_launcher"
        case pluginSandbox = "plugin_sandbox"
        case pluginSandboxWeaker = "plugin_sandbox_weaker"
        case pluginSecret = "plugin_secret"
        case pluginState = "plugin_state"
        case pluginUnpinned = "plugin_unpinned"
        case pluginUser = "plugin_user"
        case operationsOpen = "operations_open"
        case recordsFile = "records_file"
        case tracesUnreachable = "traces_unreachable"
        case webhookPlain = "webhook_plain"
        case webhookEveryVerdict = "webhook_every_verdict"
        case httpUnused = "http_unused"
        case resultKey = "result_key"
        case resultToken = "result_token"
        case resultKeyUnfit = "result_key_unfit"
        case resultKeyAlone = "result_key_alone"
        case resultIssuerPlain = "result_issuer_plain"
        case resultCertificateMissing = "result_certificate_missing"
        case resultCertificateEnds = "result_certificate_ends"
        case resultsUnused = "results_unused"
        case resultsUnserved = "results_unserved"
        case resultsSimulatedMissing = "results_simulated_missing"

        package var severity: Severity {
            switch self {
            case .ledgerFolder, .ledgerFile, .ledgerDatabase, .ledgerMissing, .newLedgerMarker, .keyFile, .fileUnreadable,
                .socketFolder, .socketFile,
                .revocationFile, .addressUnresolved, .addressNotLocal, .addressOverlap, .addressInUse, .issuingKey,
                .issuingNone, .pluginFile, .pluginLauncher, .pluginSandbox, .pluginState, .pluginUser, .resultKey:
                .failure
            case .revocationCopy, .revocationEntries, .socketMode, .callerUnreachable, .callerWithoutApps, .appWithoutCaller,
                .appIDPrefix, .testRoots, .softwareRoots, .simulatedAccepted, .testKeys, .unlockedDevices,
                .unauthenticatedNetwork,
                .certificateExpiresSoon, .certificateUnfit,
                .authorityExpired, .privateKeyOpen, .privilegedPort, .policyUnmeetable, .keyCannotSign, .lookupUnused,
                .verdictsNotEnforced, .generatedKeys,
                .issuingToken, .issuingEnded, .revocationDirectory, .fleetArcDiffers, .revocationURLShared,
                .pluginCatalog, .pluginSandboxWeaker, .operationsOpen, .recordsFile, .tracesUnreachable, .resultToken,
                .resultKeyUnfit, .resultCertificateMissing, .resultCertificateEnds, .resultsSimulatedMissing:
                .warning
            case .counterStrict, .daemonRunning, .issuingEndsSoon, .issuingRoot, .issuingStartShared, .pluginSecret,
                .pluginUnpinned, .webhookPlain, .webhookEveryVerdict, .newLedgerDeclared,
                .revocationURLUnwritten, .httpUnused, .resultKeyAlone, .resultIssuerPlain, .resultsUnused, .resultsUnserved:
                .note
            }
        }

        /// Whether it is asked for in so many words, or as it should be: told all the same, and no reason to doubt the file.
        package var isDeliberate: Bool {
            switch self {
            case .testRoots, .softwareRoots, .simulatedAccepted, .testKeys, .unlockedDevices, .unauthenticatedNetwork,
                .verdictsNotEnforced, .counterStrict, .daemonRunning, .generatedKeys, .pluginSandboxWeaker, .pluginUnpinned,
                .operationsOpen,
                .webhookPlain, .webhookEveryVerdict, .newLedgerDeclared, .resultIssuerPlain, .resultKeyAlone:
                true
            case .ledgerFolder, .ledgerFile, .ledgerDatabase, .ledgerMissing, .newLedgerMarker, .keyFile, .fileUnreadable,
                .socketFolder, .socketFile,
                .revocationFile, .revocationCopy,
                .revocationEntries, .socketMode, .callerUnreachable, .callerWithoutApps, .appWithoutCaller, .appIDPrefix,
                .certificateExpiresSoon, .certificateUnfit, .authorityExpired, .privateKeyOpen, .addressUnresolved,
                .addressNotLocal, .addressOverlap, .addressInUse, .privilegedPort, .policyUnmeetable, .keyCannotSign,
                .lookupUnused,
                .issuingKey, .issuingToken, .issuingNone, .issuingEnded, .issuingEndsSoon, .revocationDirectory,
                .fleetArcDiffers, .issuingRoot, .issuingStartShared, .revocationURLShared, .revocationURLUnwritten,
                .pluginCatalog, .pluginFile, .pluginLauncher, .pluginSandbox, .pluginSecret, .pluginState,
                .pluginUser, .recordsFile, .tracesUnreachable, .httpUnused, .resultKey, .resultToken, .resultKeyUnfit,
                .resultCertificateMissing, .resultCertificateEnds, .resultsUnused, .resultsUnserved, .resultsSimulatedMissing:
                false
            }
        }
    }

    package let code: Code
    /// A file of the catalog of plugins; `nil`: the configuration's own.
    package var file: String?
    /// Counted from 1; `nil` where it is not at one place in the file.
    package let line: Int?
    /// The way to the value, e.g. `apps.camera.app_attest`; empty where there is none.
    package let path: String
    package let message: String

    package init(_ code: Code, file: String? = nil, line: Int? = nil, path: String = "", _ message: String) {
        (self.code, self.file, self.line, self.path, self.message) = (code, file, line, path, message)
    }

    package var severity: Severity { code.severity }
}

extension ConfigurationFinding: CustomStringConvertible {
    /// With file and line for files of the catalog. Those of the configuration's own file are left out: the log does not name it.
    package var description: String {
        let place = file.map { file in file + (line.map { ":\($0)" } ?? "") + ": " } ?? ""
        return place + (path.isEmpty ? message : "\(path): \(message)")
    }
}

extension [ConfigurationFinding] {
    /// Failures first, then warnings, then notes; within each in the order of the lines.
    package var inOrder: Self {
        let ranks: [ConfigurationFinding.Severity: Int] = [.failure: 0, .warning: 1, .note: 2]
        return enumerated().sorted { a, b in
            (ranks[a.element.severity] ?? 0, a.element.file ?? "", a.element.line ?? .max, a.offset)
                < (ranks[b.element.severity] ?? 0, b.element.file ?? "", b.element.line ?? .max, b.offset)
        }.map(\.element)
    }
}
