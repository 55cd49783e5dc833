package import AssayAPI
package import AssayCore

/// What would be refused if apps enforced their verdicts, from the records of rejections in a period.
///
/// A device *looks honest* if the registry knows it, so that it had an accepted verdict before, and no rejection of it in the period is a replay or
/// a revocation (``ReasonCode/isReplayOrRevocation``). A rejection that names no registered device, such as one of a registration, says nothing of that: it
/// is counted apart.
package struct EnforcementReport: Sendable {
    /// Rejections that have something in common.
    package struct Group: Hashable, Sendable {
        /// What they have in common; empty where it is not known.
        package let name: String
        package fileprivate(set) var verdicts: Int64 = 0
        /// Of devices that look honest.
        package fileprivate(set) var honest: Int64 = 0
        /// Of devices that are not known.
        package fileprivate(set) var unknown: Int64 = 0
    }

    /// By what rejections are grouped. Raw values are the members of the JSON form.
    package enum Dimension: String, CaseIterable, Sendable {
        case reason, platform, model
        case osVersion = "os_version"
        case appVersion = "app_version"
    }

    package let since: Timestamp
    package let until: Timestamp
    /// `nil`: all apps that the caller may see.
    package let app: AppID?
    /// Rejections that were answered ACCEPTED. Its name is empty, as are those of the days before it.
    package let total: Group
    /// Known devices with such a rejection, and those of them that look honest.
    package let devices: (all: Int, honest: Int)
    /// Rejections that were answered REJECTED, and those of them that are replays or revocations.
    package let refused: (all: Int64, replays: Int64)
    /// Each with the groups, the largest first.
    package let groups: [Dimension: [Group]]
    /// One for each day of the period in UTC, named as in RFC 3339, from the first.
    package let days: [Group]

    /// The most days that are told apart.
    private static let dayLimit: Int64 = 366
    private static let day: Int64 = 86_400_000

    /// - Parameter records: those of rejections in the period; others are left out.
    package init(
        _ records: [Assay_V1_VerdictRecord], since: Timestamp, until: Timestamp, app: AppID? = nil
    ) {
        (self.since, self.until, self.app) = (since, until, app)
        let rejections = records.filter { $0.decision == .rejected }
        let suspects = Set(rejections.filter(\.isReplayOrRevocation).map(\.deviceID))
        var total = Group(name: "")
        var refused: (all: Int64, replays: Int64) = (0, 0)
        var devices: (all: Set<[UInt8]>, honest: Set<[UInt8]>) = ([], [])
        var groups: [Dimension: [String: Group]] = [:]
        var days = Self.days(from: since, to: until)
        for record in rejections {
            guard record.wouldReject else {
                refused.all += record.standsFor
                if record.isReplayOrRevocation { refused.replays += record.standsFor }
                continue
            }
            let isKnown = !record.deviceID.isEmpty
            let isHonest = isKnown && !suspects.contains(record.deviceID)
            if isKnown { devices.all.insert(Array(record.deviceID)) }
            if isHonest { devices.honest.insert(Array(record.deviceID)) }
            total.add(record.standsFor, isHonest, isKnown)
            for dimension in Dimension.allCases {
                let name = record.name(in: dimension)
                groups[dimension, default: [:]][name, default: Group(name: name)].add(record.standsFor, isHonest, isKnown)
            }
            let place = (record.timeUnixMs - Self.midnight(since)) / Self.day
            if let index = Int(exactly: place), days.indices.contains(index) {
                days[index].add(record.standsFor, isHonest, isKnown)
            }
        }
        (self.total, self.refused, self.days) = (total, refused, days)
        self.devices = (devices.all.count, devices.honest.count)
        self.groups = groups.mapValues { groups in
            groups.values.sorted { ($1.verdicts, $0.name) < ($0.verdicts, $1.name) }
        }
    }

    private static func midnight(_ time: Timestamp) -> Int64 {
        let rest = time.unixMilliseconds % day
        return time.unixMilliseconds - (rest < 0 ? rest + day : rest)
    }

    private static func days(from since: Timestamp, to until: Timestamp) -> [Group] {
        let first = midnight(since)
        let count = min(dayLimit, max(0, (until.unixMilliseconds - first + day - 1) / day))
        return (0..<count).map { Group(name: String("\(Timestamp(unixMilliseconds: first + $0 * day))".prefix(10))) }
    }
}

extension EnforcementReport.Group {
    fileprivate mutating func add(_ count: Int64, _ isHonest: Bool, _ isKnown: Bool) {
        verdicts += count
        if isHonest { honest += count }
        if !isKnown { unknown += count }
    }

    /// The share of honest-looking devices among the verdicts of known devices, in percent; `nil` where no device is known.
    package var honestShare: Int64? {
        verdicts > unknown ? (honest * 100 + (verdicts - unknown) / 2) / (verdicts - unknown) : nil
    }
}

extension Assay_V1_VerdictRecord {
    fileprivate var isReplayOrRevocation: Bool { ReasonCode(rawValue: reason)?.isReplayOrRevocation ?? false }

    fileprivate func name(in dimension: EnforcementReport.Dimension) -> String {
        switch dimension {
        case .reason: reason
        // Evidence that was refused early does not say it; its formats do nearly.
        case .platform: traits.platform.isEmpty ? formats.joined(separator: " and ") : traits.platform
        case .model: traits.model
        case .osVersion: traits.osVersion
        case .appVersion: traits.appVersion
        }
    }
}

extension EnforcementReport.Dimension {
    /// For a heading.
    package var title: String {
        switch self {
        case .reason: "by reason"
        case .platform: "by platform"
        case .model: "by model"
        case .osVersion: "by OS version"
        case .appVersion: "by app version"
        }
    }
}
