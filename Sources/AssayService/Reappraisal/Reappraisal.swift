package import AssayCore
package import Logging
import ServiceLifecycle
import Synchronization

/// How fast registered devices are judged again.
package struct ReappraisalRule: Hashable, Sendable {
    /// 0: they are not.
    package var devicesPerSecond: Int

    /// A million devices in 17 minutes, for some hundredths of a processor.
    package static let usual = 1000

    package init(devicesPerSecond: Int = Self.usual) { self.devicesPerSecond = devicesPerSecond }
}

/// Judges the registered devices again when what they are judged by has changed: a policy, a trust anchor or a revocation list. It tells of each
/// device that is no longer good, once for a reason, and says so of the places of its signed results in status lists, for apps that have results.
/// It changes nothing else and decides nothing.
///
/// What an app is judged by has a digest, which is looked at every few seconds: so every way to another policy or list is followed. The devices of an app are
/// read page by page at a bounded rate. If another change comes meanwhile, the pass goes on from its place and returns to the
/// beginning, until each device was judged by the last state. Only what the ledger has is judged, with the code that judges the
/// device's next evidence; what depends on that evidence is left out.
///
/// What is said of places is written before a page is left, for devices that pass too, and the ledger writes what differs. A pass that a kill or a
/// failing ledger cuts off is made again: the first one after a start reads every device, so that it also takes back what a process before it said.
package actor Reappraisal: Service {
    /// Between looks at what devices are judged by, in milliseconds.
    package static let period: Int64 = 2000
    /// Devices of one page.
    static let pageLimit = 100
    /// Devices that are remembered as told of, 16 bytes each. Further ones are counted, and not told of.
    package static let rememberedLimit = 2_000_000

    /// Where the pass over one app is.
    private struct Pass {
        /// The digest of what its devices are judged by now.
        var state: [UInt8]
        let number: UInt32
        var position: Int64 = 0
        /// Where the present state came into force: the pass ends there, after the last device.
        var from: Int64 = 0
        /// Whether it has gone back to the beginning since.
        var hasReturned = false
    }

    /// A device that was told of.
    private struct Told {
        /// A hash of the reason.
        let reason: UInt64
        /// The pass that found it last.
        var pass: UInt32
    }

    private let ledger: any DeviceRegistry & ResultStatusRegistry
    private let hub: WatchHub
    private let clock: any WallClock
    private let logger: Logger
    private let apps: @Sendable () -> AppDirectory
    private let counts = Mutex(ReappraisalReport())
    private let rule: Mutex<ReappraisalRule>
    /// What the devices of each app were judged by last.
    private var judged: [AppID: [UInt8]] = [:]
    private var passes: [AppID: Pass] = [:]
    /// Of each app, by the first half of a device's id.
    private var told: [AppID: [UInt64: Told]] = [:]
    private var toldCount = 0
    private var passCount: UInt32 = 0
    private var isFailing = false

    /// - Parameter apps: those of the configuration in force.
    package init(
        ledger: any DeviceRegistry & ResultStatusRegistry, hub: WatchHub, rule: ReappraisalRule, clock: any WallClock,
        logger: Logger,
        apps: @escaping @Sendable () -> AppDirectory
    ) {
        (self.ledger, self.hub, self.clock, self.logger, self.apps) = (ledger, hub, clock, logger, apps)
        self.rule = Mutex(rule)
    }

    package nonisolated func use(_ rule: ReappraisalRule) { self.rule.withLock { $0 = rule } }

    package nonisolated var report: ReappraisalReport { counts.withLock { $0 } }

    package func run() async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                let pause = await self.step()
                do { try await Task.sleep(for: .milliseconds(pause)) } catch { return }
            }
        }
    }

    /// Judges one page, or looks whether there is something to judge. Returns the time to the next step, in milliseconds.
    package func step() async -> Int64 {
        let perSecond = rule.withLock { $0.devicesPerSecond }
        guard perSecond > 0 else {
            (passes, judged) = ([:], [:])
            note()
            return Self.period
        }
        let apps = apps()
        follow(apps)
        guard let app = passes.keys.min(by: { $0.text < $1.text }), let profile = apps[app] else { return Self.period }
        do throws(LedgerError) {
            let count = try await judgePage(of: profile)
            isFailing = false
            note()
            return max(1, Int64(count) * 1000 / Int64(perSecond))
        } catch {
            if !isFailing {
                logger.warning(
                    "registered devices cannot be read or marked; they are judged again later",
                    metadata: ["problem": "\(error)"])
            }
            isFailing = true
            return Self.period
        }
    }

    // MARK: What devices are judged by

    /// Begins a pass for each app whose devices are judged by something else than before.
    private func follow(_ apps: AppDirectory) {
        let now = clock.now()
        let all = apps.all.filter { !$0.deviceAppraisers.isEmpty }
        passes = passes.filter { name, _ in all.contains { $0.id == name } }
        for (app, devices) in told where !all.contains(where: { $0.id == app }) {
            toldCount -= devices.count
            told[app] = nil
        }
        for profile in all {
            // An app that has results from now on has places that say nothing of its devices yet.
            let state = profile.judgingState(at: now) + (profile.results == nil ? [] : [1])
            if var pass = passes[profile.id] {
                guard pass.state != state else { continue }
                (pass.state, pass.from, pass.hasReturned) = (state, pass.position, false)
                passes[profile.id] = pass
            } else if judged[profile.id] != state {
                passCount &+= 1
                passes[profile.id] = Pass(state: state, number: passCount)
                counts.withLock { $0.begunAt = $0.isRunning ? $0.begunAt : now }
            }
        }
        note()
    }

    private func note() {
        let (pending, found) = (passes.count, toldCount)
        let now = clock.now()
        counts.withLock { report in
            if report.isRunning, pending == 0 { report.endedAt = now }
            (report.pendingApps, report.noLongerGood) = (pending, found)
        }
    }

    // MARK: Judging

    /// Returns the number of devices.
    private func judgePage(of profile: AppProfile) async throws(LedgerError) -> Int {
        guard let pass = passes[profile.id] else { return 0 }
        let page = try await ledger.devices(
            DeviceListing(app: profile.id, position: pass.position, limit: Self.pageLimit))
        let now = clock.now()
        let isListMissing = profile.isRevocationListMissing(at: now)
        let judgements = page.devices.map { profile.judgement(ofRecord: $0, at: now) }
        if profile.results != nil {
            try await say(of: page.devices, judgements, isListMissing: isListMissing)
        }
        var events: [WatchEvent] = []
        for (device, judgement) in zip(page.devices, judgements) {
            var finding: DeviceFinding?
            if case .failed(let found) = judgement, !device.isBlocked { finding = found }
            if finding == nil, isListMissing {
                // A device that was bad by the list is not good because the list is missing.
                keep(device, in: pass)
            } else if let event = event(finding, of: device, in: pass, at: now) {
                events.append(event)
            }
        }
        hub.publish(events)
        counts.withLock { report in
            report.judged += UInt64(page.devices.count)
            report.told += UInt64(events.count)
        }
        conclude(page, profile.id)
        return page.devices.count
    }

    /// Says of the places of devices what the judgements came to; of blocked devices too, whose blocks may be lifted before the next pass.
    private func say(
        of devices: [Device], _ judgements: [AppProfile.RecordJudgement], isListMissing: Bool
    ) async throws(LedgerError) {
        var invalid: [DeviceID: Bool] = [:]
        for (device, judgement) in zip(devices, judgements) {
            switch judgement {
            case .failed: invalid[device.id] = true
            case .passed where !isListMissing: invalid[device.id] = false
            case .passed, .notJudged: break
            }
        }
        guard !invalid.isEmpty else { return }
        let changed = try await ledger.setInvalid(invalid)
        if changed > 0 { counts.withLock { $0.placed += UInt64(changed) } }
    }

    /// The event of a device that is no longer good for a reason that was not told before.
    private func event(_ finding: DeviceFinding?, of device: Device, in pass: Pass, at now: Timestamp) -> WatchEvent? {
        let key = Self.key(of: device)
        let known = told[device.app]?[key]
        guard let finding else {
            if known != nil { forget(key, of: device.app) }
            return nil
        }
        let reason = finding.code.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        guard known != nil || toldCount < Self.rememberedLimit else {
            counts.withLock { $0.untold += 1 }
            return nil
        }
        told[device.app, default: [:]][key] = Told(reason: reason, pass: pass.number)
        if known == nil { toldCount += 1 }
        return known?.reason == reason ? nil : WatchEvent(finding, of: device.id, app: device.app, at: now)
    }

    /// Leaves a device that was told of as it is.
    private func keep(_ device: Device, in pass: Pass) { told[device.app]?[Self.key(of: device)]?.pass = pass.number }

    private static func key(of device: Device) -> UInt64 { device.id.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    private func forget(_ key: UInt64, of app: AppID) {
        told[app]?[key] = nil
        toldCount -= 1
    }

    /// Goes on behind a page, back to the beginning, or ends the pass.
    private func conclude(_ page: DevicePage, _ app: AppID) {
        guard var pass = passes[app] else { return }
        if let next = page.next {
            pass.position = next
            passes[app] = pass
            // The devices from there on were judged by the present state.
            if pass.hasReturned, next >= pass.from { end(app, pass) }
        } else if pass.from == 0 || pass.hasReturned {
            end(app, pass)
        } else {
            (pass.position, pass.hasReturned) = (0, true)
            passes[app] = pass
        }
    }

    private func end(_ app: AppID, _ pass: Pass) {
        judged[app] = pass.state
        passes[app] = nil
        // Devices that are not registered any more.
        for (key, device) in told[app] ?? [:] where device.pass != pass.number { forget(key, of: app) }
    }
}

/// How far the devices are judged again.
package struct ReappraisalReport: Hashable, Sendable {
    /// Apps whose devices are not all judged by the last state.
    package var pendingApps = 0
    /// Since the start: devices judged, events, and devices that were found and not told of because too many are remembered.
    package var judged: UInt64 = 0
    package var told: UInt64 = 0
    package var untold: UInt64 = 0
    /// Devices of which status lists say something else since they were judged: that they are invalid, or no longer.
    package var placed: UInt64 = 0
    /// Devices that were no longer good when they were judged last.
    package var noLongerGood = 0
    package var begunAt: Timestamp?
    package var endedAt: Timestamp?

    package var isRunning: Bool { pendingApps > 0 }
    package init() {}
}
