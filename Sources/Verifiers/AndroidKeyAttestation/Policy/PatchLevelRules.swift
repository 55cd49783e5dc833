package import AssayCore

/// The oldest and newest accepted security patch levels.
package struct PatchLevelRules: Hashable, Sendable {
    package enum Oldest: Hashable, Sendable {
        case level(PatchLevel)
        /// This many months before now. A registered device eventually grows too old.
        case months(Int)
    }

    /// `nil`: any.
    package var os: Oldest?
    package var vendor: Oldest?
    package var boot: Oldest?
    /// Whether a missing or unreadable vendor or boot level is refused if one is required. Many genuine devices write them
    /// wrongly.
    package var refusesUnreadable: Bool
    /// The most months that a level may be in the future; `nil`: any number.
    package var monthsAhead: Int?

    package init(
        os: Oldest? = nil, vendor: Oldest? = nil, boot: Oldest? = nil, refusesUnreadable: Bool = false, monthsAhead: Int? = nil
    ) {
        self.os = os
        self.vendor = vendor
        self.boot = boot
        self.refusesUnreadable = refusesUnreadable
        self.monthsAhead = monthsAhead
    }

    func judge(_ facts: KeyFacts, at now: Timestamp, in appraisal: inout Appraisal) throws(Rejection) {
        let today = PatchLevel(now)
        try judge("os_patch_level", .osPatchLevel, os, refusing: true, facts, today, &appraisal)
        try judge("vendor_patch_level", .vendorPatchLevel, vendor, refusing: refusesUnreadable, facts, today, &appraisal)
        try judge("boot_patch_level", .bootPatchLevel, boot, refusing: refusesUnreadable, facts, today, &appraisal)
    }

    private func judge(
        _ check: String, _ tag: AuthorizationTag, _ oldest: Oldest?, refusing: Bool, _ facts: KeyFacts, _ today: PatchLevel,
        _ appraisal: inout Appraisal
    ) throws(Rejection) {
        guard oldest != nil || monthsAhead != nil else { return appraisal.skip(check) }
        guard let level = facts.trusted.number(tag).flatMap(PatchLevel.init) else {
            let stated = facts.trusted.number(tag)
            let why =
                facts.trusted.has(tag)
                ? "the level is \(stated.map(String.init) ?? "a number of more than 64 bits"), which is no month"
                : "the level is not stated"
            guard oldest != nil, refusing else { return appraisal.note(check, "not_readable", why) }
            return try appraisal.require(check, false, else: .patchLevelTooOld, why)
        }
        try appraisal.check(check) { () throws(Rejection) in
            if let oldest, !oldest.allows(level, today) {
                throw Rejection(.patchLevelTooOld, "the level is of \(level), the oldest allowed \(oldest.text)")
            }
            if let monthsAhead, level.months(since: today) > monthsAhead {
                throw Rejection(.patchLevelInFuture, "the level is of \(level), at most \(monthsAhead) months after \(today)")
            }
        }
    }
}

extension PatchLevel: CustomStringConvertible {
    /// `2025-03`.
    package var description: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }
}

extension PatchLevelRules.Oldest {
    /// For a sentence.
    fileprivate var text: String {
        switch self {
        case .level(let level): "\(level)"
        case .months(let count): "\(count) months ago"
        }
    }

    fileprivate func allows(_ level: PatchLevel, _ today: PatchLevel) -> Bool {
        switch self {
        case .level(let oldest): level >= oldest
        case .months(let count): today.months(since: level) <= count
        }
    }
}

/// A security patch level: a month. The day, which levels of vendor and boot images mostly have, is ignored: some devices write
/// 00 or leave it out.
package struct PatchLevel: Hashable, Comparable, Sendable {
    package let year: Int
    /// 1 to 12.
    package let month: Int

    /// Reads `YYYYMM` or `YYYYMMDD` in decimal; `nil` for other numbers.
    package init?(_ number: UInt64) {
        let yearAndMonth =
            switch number {
            case 100_001...999_912: Int(number)
            case 10_000_100...99_991_299: Int(number / 100)
            default: 0
            }
        guard yearAndMonth > 0, (1...12).contains(yearAndMonth % 100) else { return nil }
        (year, month) = (yearAndMonth / 100, yearAndMonth % 100)
    }

    /// The month of an instant, in UTC.
    package init(_ time: Timestamp) {
        let date = CivilDate(daysSince1970: time.unixMilliseconds / 86_400_000)
        (year, month) = (Int(date.year), Int(date.month))
    }

    /// Months since the year 0.
    private var count: Int { year * 12 + month - 1 }

    /// The months from `other` to this level; negative if this level is older.
    package func months(since other: PatchLevel) -> Int { count - other.count }

    package static func < (a: Self, b: Self) -> Bool { a.count < b.count }
}
