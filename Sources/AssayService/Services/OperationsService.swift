package import AssayAPI
package import AssayCore
package import AssayRPC
import Foundation
import SwiftProtobuf

/// `assay.v1.Operations`: the daemon's status.
package struct OperationsService: Sendable {
    /// The part of the status that stays the same while one configuration is in force.
    package struct Facts: Sendable {
        package let version: String
        package let startedAt: Timestamp
        package let anchors: [AnchorFacts]
        package let configurationDigest: [UInt8]
        package let loadedAt: Timestamp
        package init(
            version: String, startedAt: Timestamp, anchors: [AnchorFacts], configurationDigest: [UInt8], loadedAt: Timestamp
        ) {
            (self.version, self.startedAt, self.anchors) = (version, startedAt, anchors)
            (self.configurationDigest, self.loadedAt) = (configurationDigest, loadedAt)
        }
    }

    private let apps: AppDirectory
    private let callers: CallerDirectory
    private let rates: RateLimits?
    private let ledger: any LedgerStatusSource
    private let counters: VerdictCounters
    private let signer: AuditSigner
    private let disk: DiskWatch
    private let memory: EvidenceUseLimit
    private let facts: Facts
    private let clock: any WallClock
    private let clockReport: @Sendable () -> ClockWatch.Report
    private let transport: @Sendable () -> RPCStatistics
    private let receipts: @Sendable () -> ReceiptReport
    private let reloadProblem: ReloadProblem.Slot
    private let feeds: [any TrustFeed]
    private let certificates: CertificateEnd.Slot
    private let authorities: @Sendable () -> [Assay_V1_Authority]
    private let plugins: any PluginControl
    private let webhooks: any WebhookControl
    private let records: @Sendable () -> VerdictRecordStatus?
    private let reappraisal: @Sendable () -> ReappraisalReport
    private let resultIssuers: @Sendable (Timestamp) -> [ResultSigningState]
    private let statusLists: @Sendable () -> StatusListReport
    private let metrics: MetricsSource

    package init(
        apps: AppDirectory, callers: CallerDirectory = CallerDirectory(byUserID: [:]), rates: RateLimits? = nil,
        ledger: any LedgerStatusSource, counters: VerdictCounters, signer: AuditSigner,
        disk: DiskWatch, memory: EvidenceUseLimit, facts: Facts, clock: any WallClock,
        clockReport: @escaping @Sendable () -> ClockWatch.Report, transport: @escaping @Sendable () -> RPCStatistics,
        receipts: @escaping @Sendable () -> ReceiptReport, reloadProblem: ReloadProblem.Slot, feeds: [any TrustFeed] = [],
        certificates: CertificateEnd.Slot = CertificateEnd.Slot(),
        authorities: @escaping @Sendable () -> [Assay_V1_Authority] = { [] }, plugins: any PluginControl = NoPlugins(),
        records: @escaping @Sendable () -> VerdictRecordStatus? = { nil },
        reappraisal: @escaping @Sendable () -> ReappraisalReport = { ReappraisalReport() },
        webhooks: any WebhookControl = NoWebhooks(),
        resultIssuers: @escaping @Sendable (Timestamp) -> [ResultSigningState] = { _ in [] },
        statusLists: @escaping @Sendable () -> StatusListReport = { StatusListReport() },
        metrics: MetricsSource = MetricsSource()
    ) {
        (self.apps, self.callers, self.rates) = (apps, callers, rates)
        self.ledger = ledger
        self.counters = counters
        self.signer = signer
        self.disk = disk
        self.memory = memory
        self.facts = facts
        self.clock = clock
        self.clockReport = clockReport
        self.transport = transport
        self.receipts = receipts
        self.reloadProblem = reloadProblem
        self.feeds = feeds
        self.certificates = certificates
        (self.authorities, self.plugins, self.records, self.metrics) = (authorities, plugins, records, metrics)
        (self.reappraisal, self.webhooks) = (reappraisal, webhooks)
        (self.resultIssuers, self.statusLists) = (resultIssuers, statusLists)
    }

    package var methods: [MethodBody] {
        [
            .unary(API.status) { caller, _ in await status(for: caller) },
            .unary(API.metrics) { _, _ in
                var response = await metrics.response
                response.nowUnixMs = clock.now().unixMilliseconds
                (response.startedAtUnixMs, response.version) = (facts.startedAt.unixMilliseconds, facts.version)
                return response
            },
            .unary(
                API.whoAmI,
                ofPeer: { caller, peer, _ in Assay_V1_WhoAmIResponse(caller, at: peer, in: callers, apps, rates) }),
        ]
    }

    /// What the caller may see of the daemon's state.
    package func status(for caller: Caller) async -> Assay_V1_StatusResponse {
        let now = clock.now()
        var response = Assay_V1_StatusResponse()
        response.version = facts.version
        response.startedAtUnixMs = facts.startedAt.unixMilliseconds
        response.nowUnixMs = now.unixMilliseconds
        response.anchors = facts.anchors.map(\.message)
        response.configuration = configuration(for: caller)
        response.apps = apps.all.filter { caller.may(use: $0.id) }.map { profile in
            .with {
                $0.app = profile.id.text
                $0.formats = profile.verifiers.keys.map(\.rawValue).sorted()
                $0.policyDigest = Data(profile.policyDigest)
                $0.outages = profile.outages(at: now).map(\.message)
                $0.enforcement = profile.enforcement.message(wouldReject: counters.wouldReject(of: profile.id))
            }
        }
        do throws(LedgerError) {
            let status = try await ledger.status()
            response.store = status.message
            response.store.evidenceMemoryFull = memory.isFull
            let signedAt = clock.now()
            response.audit = status.audit(signedBy: signer, at: signedAt)
            response.store.writers = status.writers.map { $0.message(signedBy: signer, at: signedAt) }
        } catch {
            response.store = .with { ($0.problem, $0.state) = (error.description, error.state) }
        }
        response.clock = clockReport().message
        if let (space, isLow) = disk.look() {
            response.disk = .with { ($0.freeBytes, $0.capacityBytes, $0.low) = (space.free, space.capacity, isLow) }
        }
        response.receipts = receipts().message
        // The problem names teams and hosts of apps that the caller may not know of.
        if caller.apps != nil, !response.receipts.problem.isEmpty { response.receipts.problem = "the log says what is wrong" }
        response.traffic = counters.counts.message(transport(), for: caller)
        response.feeds = feeds.shown(to: caller).map { $0.message(at: now) }
        response.certificates = certificates.value.map(\.message)
        response.authorities = authorities()
        response.resultIssuers = resultIssuers(now).map(\.message)
        if !response.resultIssuers.isEmpty { response.statusLists = statusLists().message }
        response.plugins = plugins.plugins().shown(to: caller)
        for index in response.plugins.indices { response.plugins[index].lastLines = [] }
        if let records = records() { response.verdictRecords = records.message(for: caller) }
        if caller.apps == nil {
            response.reappraisal = reappraisal().message
            response.webhooks = webhooks.webhooks()
        }
        response.attention = response.attention()
        return response
    }

    private func configuration(for caller: Caller) -> Assay_V1_StatusResponse.Configuration {
        .with {
            $0.digest = Data(facts.configurationDigest)
            $0.loadedAtUnixMs = facts.loadedAt.unixMilliseconds
            guard let problem = reloadProblem.value else { return }
            $0.refusedAtUnixMs = problem.at.unixMilliseconds
            // The problem names apps that the caller may not know of.
            $0.problem = caller.apps == nil ? problem.text : "the file is refused; the log says why"
        }
    }
}

/// A trust anchor in the status.
package struct AnchorFacts: Hashable, Sendable {
    package let name: String
    package let publisher: String
    package let spkiSHA256: [UInt8]
    /// Empty if only the key is configured.
    package let certificateSHA256: [UInt8]
    package let simulated: Bool

    package init(name: String, publisher: String, spkiSHA256: [UInt8], certificateSHA256: [UInt8], simulated: Bool) {
        self.name = name
        self.publisher = publisher
        self.spkiSHA256 = spkiSHA256
        self.certificateSHA256 = certificateSHA256
        self.simulated = simulated
    }

    fileprivate var message: Assay_V1_StatusResponse.Anchor {
        .with {
            $0.name = name
            $0.publisher = publisher
            $0.spkiSha256 = Data(spkiSHA256)
            $0.certificateSha256 = Data(certificateSHA256)
            $0.simulated = simulated
        }
    }
}

extension LedgerStatus {
    fileprivate var message: Assay_V1_StatusResponse.Store {
        .with {
            $0.available = true
            $0.state = "good"
            $0.devices = devices
            $0.auditCount = auditCount
            $0.auditHead = Data(auditHead)
            $0.spentHorizonUnixMs = spentHorizon == .distantPast ? 0 : spentHorizon.unixMilliseconds
            $0.lastEntryAtUnixMs = lastEntryAt?.unixMilliseconds ?? 0
        }
    }

    fileprivate func audit(signedBy signer: AuditSigner, at now: Timestamp) -> Assay_V1_StatusResponse.Audit {
        .with {
            $0.writer = writer.name
            $0.count = auditCount
            $0.head = Data(auditHead)
            $0.dropped = auditDropped
            $0.startHead = Data(auditStartHead)
            $0.publicKey = Data(signer.publicKey)
            // Without a signature the other fields are still useful.
            guard let span = try? signer.sign(auditEnd, of: writer, from: auditStart, at: now) else { return }
            if !writer.isNamed {
                // For clients that know version 1 alone. It says nothing of a writer.
                guard let signed = try? signer.sign(auditEnd, from: nil, at: now) else { return }
                $0.signature = Data(signed.signature)
            }
            $0.signedAtUnixMs = now.unixMilliseconds
            $0.spanSignature = Data(span.signature)
        }
    }
}

extension AuditWriterStatus {
    fileprivate func message(signedBy signer: AuditSigner, at now: Timestamp) -> Assay_V1_StatusResponse.Writer {
        var message = message
        // Without a signature the other fields are still useful.
        if let span = try? signer.sign(end, of: writer, from: start, at: now) { message.spanSignature = Data(span.signature) }
        return message
    }
}

extension LedgerError {
    /// The state in the status: never renamed.
    fileprivate var state: String {
        switch self {
        case .unavailable, .overloaded: "unavailable"
        case .corrupt: "damaged"
        case .replaced: "replaced"
        }
    }
}

extension ClockWatch.Report {
    fileprivate var message: Assay_V1_StatusResponse.Clock {
        .with {
            $0.settledUnixMs = reading.settled.unixMilliseconds
            if let aheadFor = reading.aheadFor {
                $0.aheadMs = reading.lead
                $0.followedInMs = SettledClock.patience - aheadFor
            }
            $0.lastStepAtUnixMs = lastStep?.at.unixMilliseconds ?? 0
            $0.lastStepMs = lastStep?.milliseconds ?? 0
            $0.noChallengesUntilUnixMs = horizonAhead?.unixMilliseconds ?? 0
        }
    }
}

extension VerdictCounters.Counts {
    fileprivate func message(_ transport: RPCStatistics, for caller: Caller) -> Assay_V1_StatusResponse.Traffic {
        .with {
            $0.accepted = accepted
            $0.repeatedVerdicts = repeated
            $0.unavailable = unavailable
            $0.rejected = Dictionary(uniqueKeysWithValues: rejected.map { ($0.key.rawValue, $0.value) })
            if rejectedByOtherCodes > 0 { $0.rejected[VerdictCounters.other] = rejectedByOtherCodes }
            $0.wouldReject = Dictionary(uniqueKeysWithValues: wouldReject.map { ($0.key.rawValue, $0.value) })
            if wouldRejectByOtherCodes > 0 { $0.wouldReject[VerdictCounters.other] = wouldRejectByOtherCodes }
            $0.notes = notes
            $0.challengesIssued = challengesIssued
            $0.connections = UInt32(clamping: transport.openConnections)
            $0.callsInFlight = UInt32(clamping: transport.callsInFlight)
            $0.refusedCalls = transport.refusedCalls.mapValues { UInt64(clamping: $0) }
            $0.rateLimited = rateLimited.filter { caller.may(use: $0.key.app) }
                .sorted { $0.key < $1.key }
                .map { key, count in .with { ($0.app, $0.limit, $0.count) = (key.app.text, key.limit.rawValue, count) } }
            $0.endedConnections = transport.endedConnections.mapValues { UInt64(clamping: $0) }
        }
    }
}

extension ReceiptReport {
    fileprivate var message: Assay_V1_StatusResponse.ReceiptExchange {
        .with {
            $0.due = Int64(due)
            ($0.exchanged, $0.failed, $0.ended) = (exchanged, failed, ended)
            $0.problem = problem?.text ?? ""
            $0.problemAtUnixMs = problem?.at.unixMilliseconds ?? 0
        }
    }
}

extension ReappraisalReport {
    fileprivate var message: Assay_V1_StatusResponse.Reappraisal {
        .with {
            $0.pendingApps = UInt32(clamping: pendingApps)
            ($0.judged, $0.told, $0.untold) = (judged, told, untold)
            $0.noLongerGood = UInt64(clamping: noLongerGood)
            $0.begunAtUnixMs = begunAt?.unixMilliseconds ?? 0
            $0.endedAtUnixMs = endedAt?.unixMilliseconds ?? 0
        }
    }
}

extension EnforcementRule {
    /// - Parameter wouldReject: rejections of the app that were answered ACCEPTED since the start.
    fileprivate func message(wouldReject: UInt64) -> Assay_V1_StatusResponse.App.Enforcement {
        .with { ($0.share, $0.reportsEverything, $0.wouldReject) = (share, reportsEverything, wouldReject) }
    }
}

extension AppProfile.Outage {
    fileprivate var message: Assay_V1_StatusResponse.App.Outage {
        .with { ($0.formats, $0.reason) = (formats.map(\.rawValue).sorted(), reason) }
    }
}

extension CertificateEnd {
    fileprivate var message: Assay_V1_StatusResponse.Certificate {
        .with {
            $0.file = file
            $0.use =
                switch use {
                case .server: .server
                case .callerCA: .callerCa
                }
            $0.notAfterUnixMs = notAfter.unixMilliseconds
        }
    }
}
