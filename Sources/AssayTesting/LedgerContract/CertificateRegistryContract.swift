import AssayCore

/// The checks of `CertificateRegistry`: revocation and listing. Issuing is part of `VerdictLedgerContract`.
public enum CertificateRegistryContract {
    public static let checks = revocationChecks + renewalChecks + listChecks + listingChecks

    private static let revocationChecks: [ContractCheck] = [
        ContractCheck("A revocation is in force on return, and a second one does not change it") { it in
            let (_, certificate) = try await it.certified()
            let name = certificate.name
            let revoked = certificate.revoked(.keyCompromise)
            let first = try await it.ledger.revoke(name, .keyCompromise, LedgerUnderTest.asked("lost"))
            try same(first, RevocationChange(certificate: revoked, wasRevoked: false), "the first")
            try same(await it.bothWays(certificate), revoked, "the certificate")
            try await it.expect(.rests(on: name), .refused(.revoked), "evidence that rests on it")
            let context = ChangeContext(.caller("operator"), at: LedgerUnderTest.expiry)
            let second = try await it.ledger.revoke(name, .superseded, context)
            try same(second, RevocationChange(certificate: revoked, wasRevoked: true), "the second")
            try same(await it.bothWays(certificate), revoked, "the certificate after it")
            let unknown = CertificateName(issuer: name.issuer, serial: [9])
            try same(await it.ledger.revoke(unknown, .superseded, context), nil, "an unknown certificate")
        },
        ContractCheck("Each reason of a revocation is kept") { it in
            let device = try await it.register(.sample())
            for reason in RevocationReason.allCases {
                let certificate = try await it.issue(.sample(of: device))
                _ = try await it.ledger.revoke(certificate.name, reason, LedgerUnderTest.asked(""))
                try same(await it.bothWays(certificate), certificate.revoked(reason), "one revoked for \(reason.name)")
            }
        },
        ContractCheck("A revocation is recorded, and calls that change nothing are not") { it in
            let (_, certificate) = try await it.certified()
            let start = try await it.ledger.status().auditCount
            for reason in [RevocationReason.keyCompromise, .superseded] {
                _ = try await it.ledger.revoke(certificate.name, reason, LedgerUnderTest.asked("lost"))
            }
            let unknown = CertificateName(issuer: LedgerUnderTest.issuer, serial: [9])
            _ = try await it.ledger.revoke(unknown, .superseded, LedgerUnderTest.asked("no such certificate"))
            try await it.expectChanges(
                [.revoke(certificate, .keyCompromise, LedgerUnderTest.asked("lost"))], after: start)
        },
        ContractCheck("64 revocations of a certificate race: one makes it, and the others get it") { it in
            let (_, certificate) = try await it.certified()
            let changes = try await withThrowingTaskGroup(of: RevocationChange?.self) { group in
                for number in 0..<racers {
                    let reason = RevocationReason.allCases[number % RevocationReason.allCases.count]
                    group.addTask { try await it.ledger.revoke(certificate.name, reason, LedgerUnderTest.asked("")) }
                }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            try same(changes.count { !$0.wasRevoked }, 1, "revocations that were made")
            try same(Set(changes.map(\.certificate)).count, 1, "distinct results")
            try same(changes.first?.certificate, await it.bothWays(certificate), "the certificate")
            try same(await it.ledger.revocationCount(of: LedgerUnderTest.issuer), 1, "revocations")
        },
        ContractCheck("Certificates stay on record when expired data is purged and trimmed") { it in
            let (device, certificate) = try await it.certified()
            _ = try await it.ledger.revoke(certificate.name, .superseded, LedgerUnderTest.asked(""))
            try await it.ledger.purge(now: .distantFuture)
            _ = try await it.ledger.trim(
                to: Retention(auditFrom: .distantFuture, auditRows: 0, verdicts: 0, challenges: 0))
            try same(await it.bothWays(certificate), certificate.revoked(.superseded), "the certificate")
            let again = DeviceCertificate.sample(of: device, serial: certificate.name.serial)
            let late = LedgerEntry.Spend.fresh(expiry: .distantFuture)
            try await it.expect(.issue(again, spends: [late]), .refused(.certificateSerialTaken), "its serial number")
        },
    ]

    private static let listChecks: [ContractCheck] = [
        ContractCheck("The revoked certificates of a CA are those that have not expired, ordered by serial number") { it in
            let device = try await it.register(.sample())
            let other = [UInt8](repeating: 1, count: 32)
            let serials: [[UInt8]] = [[2], [0x7F], [0x80], [1, 0], [1, 0xFF], [2, 0], [1, 0, 0]]
            for serial in serials.shuffled() {
                _ = try await it.issue(.sample(of: device, serial: serial))
                _ = try await it.issue(.sample(of: device, issuer: other, serial: serial))
            }
            let short = try await it.issue(
                .sample(of: device, serial: [5], notAfter: LedgerUnderTest.expiry.adding(milliseconds: -1)))
            _ = try await it.issue(.sample(of: device, serial: [6]))
            func name(_ serial: [UInt8]) -> CertificateName { CertificateName(issuer: LedgerUnderTest.issuer, serial: serial) }
            for (number, serial) in serials.enumerated() {
                let reason = RevocationReason.allCases[number]
                _ = try await it.ledger.revoke(name(serial), reason, LedgerUnderTest.asked(""))
            }
            _ = try await it.ledger.revoke(short.name, .superseded, LedgerUnderTest.asked(""))
            let expected = serials.enumerated().map { number, serial in
                RevokedCertificate(
                    serial: serial,
                    revocation: CertificateRevocation(RevocationReason.allCases[number], at: LedgerUnderTest.changedAt))
            }
            let issuer = LedgerUnderTest.issuer
            let atEnd = try await it.ledger.revocations(of: issuer, validAt: LedgerUnderTest.expiry)
            try same(atEnd, expected, "at the last instant of most")
            let before = try await it.ledger.revocations(of: issuer, validAt: short.notAfter)
            try same(before.map(\.serial), [[2], [5]] + serials.dropFirst(), "at the last instant of one")
            let after = LedgerUnderTest.expiry.adding(milliseconds: 1)
            try same(await it.ledger.revocations(of: issuer, validAt: after), [], "after all")
            try same(await it.ledger.revocations(of: other, validAt: .distantPast), [], "those of another CA")
        },
        ContractCheck("The revocations of a CA are counted, expired or not, and the last expiry is that of its certificates") {
            it in
            let other = [UInt8](repeating: 1, count: 32)
            try same(await it.ledger.lastExpiry(of: LedgerUnderTest.issuer), nil, "the last expiry of a CA without any")
            let device = try await it.register(.sample())
            let times = [5, 9, 7].map { LedgerUnderTest.now.adding(milliseconds: $0) }
            for time in times { _ = try await it.issue(.sample(of: device, notAfter: time)) }
            let foreign = try await it.issue(.sample(of: device, issuer: other, notAfter: .distantPast))
            try same(await it.ledger.lastExpiry(of: LedgerUnderTest.issuer), times[1], "the last expiry")
            try same(await it.ledger.lastExpiry(of: other), .distantPast, "the last expiry of another CA")
            let page = try await it.ledger.certificates(CertificateListing(app: device.app, limit: 3))
            for (number, certificate) in page.certificates.enumerated() {
                for _ in 0..<2 { _ = try await it.ledger.revoke(certificate.name, .superseded, LedgerUnderTest.asked("")) }
                let count = try await it.ledger.revocationCount(of: LedgerUnderTest.issuer)
                try same(count, Int64(number + 1), "revocations")
            }
            try same(await it.ledger.revocationCount(of: other), 0, "revocations of another CA")
            _ = try await it.ledger.revoke(foreign.name, .superseded, LedgerUnderTest.asked(""))
            try same(await it.ledger.revocationCount(of: other), 1, "revocations of the other CA after one")
            try same(await it.ledger.lastExpiry(of: LedgerUnderTest.issuer), times[1], "the last expiry after all")
        },
        ContractCheck("A revocation list is kept in place of one with a lower number, and not recorded") { it in
            func list(_ number: Int64, of issuer: [UInt8] = LedgerUnderTest.issuer) -> StoredRevocationList {
                StoredRevocationList(
                    issuer: issuer, number: number, thisUpdate: LedgerUnderTest.now, nextUpdate: LedgerUnderTest.expiry,
                    revocationCount: number * 2, der: SecureRandom.bytes(200))
            }
            let (first, second, other) = (list(3), list(4), list(1, of: [UInt8](repeating: 1, count: 32)))
            try same(await it.ledger.revocationList(of: first.issuer), nil, "the list before the first")
            try same(await it.ledger.keep(first), true, "the first")
            for number in [3, 2, -1] as [Int64] {
                try same(await it.ledger.keep(list(number)), false, "one with the number \(number)")
            }
            try same(await it.ledger.revocationList(of: first.issuer), first, "the first, kept")
            try same(await it.ledger.keep(other), true, "that of another CA")
            try same(await it.ledger.keep(second), true, "the second")
            try same(await it.ledger.revocationList(of: first.issuer), second, "the second, kept")
            try same(await it.ledger.revocationList(of: other.issuer), other, "that of the other CA")
            try same(await it.ledger.status().auditCount, 0, "records")
        },
        ContractCheck("64 revocation lists with one number race: exactly one is kept") { it in
            let lists = (0..<racers).map { number in
                StoredRevocationList(
                    issuer: LedgerUnderTest.issuer, number: 5, thisUpdate: LedgerUnderTest.now,
                    nextUpdate: LedgerUnderTest.expiry, revocationCount: 0, der: [UInt8(number)])
            }
            let kept = try await withThrowingTaskGroup(of: StoredRevocationList?.self) { group in
                for list in lists { group.addTask { try await it.ledger.keep(list) ? list : nil } }
                return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            try same(kept.count, 1, "winners")
            try same(await it.ledger.revocationList(of: LedgerUnderTest.issuer), kept.first, "the kept list")
        },
    ]

    private static let listingChecks: [ContractCheck] = [
        ContractCheck("A listing shows the certificates of one app in the order in which they were issued") { it in
            let (device, other) = (try await it.register(.sample()), try await it.register(.sample(app: "other")))
            var own: [DeviceCertificate] = []
            for number in 0..<7 {
                own.append(try await it.issue(.sample(of: device)))
                if number.isMultiple(of: 2) { _ = try await it.issue(.sample(of: other)) }
            }
            for limit in [1, 2, 3, 6, 7, 8, 100] {
                let pages = try await it.pages { CertificateListing(app: device.app, position: $0, limit: limit) }
                try same(pages.flatMap(\.self), own, "the certificates of all pages of \(limit)")
                try same(pages.allSatisfy { $0.count <= limit }, true, "no page is longer than \(limit)")
            }
        },
        ContractCheck("A listing selects certificates by device and by their revocation") { it in
            let (one, two) = (try await it.register(.sample()), try await it.register(.sample()))
            var all: [DeviceCertificate] = []
            for number in 0..<8 { all.append(try await it.issue(.sample(of: number < 5 ? one : two))) }
            for index in [1, 4, 6] {
                _ = try await it.ledger.revoke(all[index].name, .superseded, LedgerUnderTest.asked(""))
                all[index] = all[index].revoked(.superseded)
            }
            func listed(_ device: DeviceID?, _ isRevoked: Bool?) async throws -> [DeviceCertificate] {
                try await it.pages {
                    CertificateListing(app: one.app, device: device, isRevoked: isRevoked, position: $0, limit: 2)
                }.flatMap(\.self)
            }
            for device in [nil, one.id, two.id] {
                for isRevoked in [nil, true, false] {
                    let wanted = all.filter { certificate in
                        (device == nil || certificate.device == device)
                            && (isRevoked == nil || isRevoked == (certificate.revocation != nil))
                    }
                    try same(await listed(device, isRevoked), wanted, "those of \(device as Any), revoked: \(isRevoked as Any)")
                }
            }
            try same(await listed(.random(), nil), [], "those of an unknown device")
            let other = try Device.sample(app: "other").app
            let foreign = try await it.ledger.certificates(CertificateListing(app: other, device: one.id, limit: 10))
            try same(foreign, CertificatePage(certificates: [], next: nil), "those of a device of another app")
        },
        ContractCheck("A listing selects the certificates of a fleet's serial number, those of replaced devices included") {
            it in
            let old = try await it.provisioned(.sample(serial: [1]))
            let other = try await it.provisioned(.sample(serial: [2]))
            _ = try await it.readmitted([1])
            let new = try FleetEntry.sample(serial: [1])
            try same(await it.ledger.provision(new), .provisioned, "a provisioning")
            let renewed = try await it.issue(.sample(of: new.device))
            func listed(
                _ serial: [UInt8], _ device: DeviceID? = nil, _ isRevoked: Bool? = nil, limit: Int = 1, app: AppID? = nil
            ) async throws -> [CertificateName] {
                try await it.pages {
                    CertificateListing(
                        app: app ?? new.record.app, device: device, deviceSerial: serial, isRevoked: isRevoked, position: $0,
                        limit: limit)
                }.flatMap(\.self).map(\.name)
            }
            let all = [old.certificate.name, new.certificate.name, renewed.name]
            for limit in [1, 2, 3, 10] { try same(await listed([1], limit: limit), all, "those of the serial number") }
            try same(await listed([1], nil, true), [old.certificate.name], "the revoked ones")
            try same(await listed([1], new.device.id), Array(all.dropFirst()), "those of one device of it")
            try same(await listed([1], other.device.id), [], "those of a device of another serial number")
            try same(await listed([2]), [other.certificate.name], "those of another serial number")
            try same(await listed([3]), [], "those of an unknown serial number")
            try same(await listed([1], app: try Device.sample(app: "other").app), [], "those of another app")
        },
        ContractCheck("The certificates of devices are counted by their state at a time") { it in
            let (one, two) = (try await it.register(.sample()), try await it.register(.sample()))
            let none = try await it.register(.sample())
            let end = LedgerUnderTest.now.adding(milliseconds: 5)
            for _ in 0..<2 { _ = try await it.issue(.sample(of: one)) }
            _ = try await it.issue(.sample(of: one, notAfter: end))
            for notAfter in [end, LedgerUnderTest.expiry] {
                let certificate = try await it.issue(.sample(of: two, notAfter: notAfter))
                _ = try await it.ledger.revoke(certificate.name, .superseded, LedgerUnderTest.asked(""))
            }
            func counted(_ time: Timestamp, _ devices: [DeviceID]) async throws -> [DeviceID: CertificateCounts] {
                try await it.ledger.certificateCounts(of: devices, at: time)
            }
            let all = [one.id, two.id, none.id, .random()]
            try same(
                await counted(end, all), [one.id: .init(good: 3), two.id: .init(revoked: 2)], "at the last instant of one")
            try same(
                await counted(end.adding(milliseconds: 1), all),
                [one.id: .init(good: 2, expired: 1), two.id: .init(revoked: 2)], "after it")
            try same(await counted(end, [two.id]), [two.id: .init(revoked: 2)], "of one device")
            try same(await counted(end, []), [:], "of no device")
        },
        ContractCheck("The certificates of an app with a serial number are found, of any CA and revoked or not") { it in
            let (device, foreign) = (try await it.register(.sample()), try await it.register(.sample(app: "other")))
            let serial: [UInt8] = [7, 1]
            func issue(_ device: Device, issuer: UInt8, serial: [UInt8]) async throws -> DeviceCertificate {
                try await it.issue(.sample(of: device, issuer: [UInt8](repeating: issuer, count: 32), serial: serial))
            }
            let first = try await issue(device, issuer: 9, serial: serial)
            _ = try await issue(device, issuer: 9, serial: [7])
            _ = try await issue(foreign, issuer: 2, serial: serial)
            try same(await it.ledger.certificates(serial: serial, app: device.app), [first], "those of one CA")
            let second = try await issue(device, issuer: 1, serial: serial)
            _ = try await it.ledger.revoke(first.name, .superseded, LedgerUnderTest.asked(""))
            try same(
                await it.ledger.certificates(serial: serial, app: device.app), [first.revoked(.superseded), second],
                "those of two CAs")
            try same(await it.ledger.certificates(serial: [1], app: device.app), [], "those of an unknown number")
        },
        ContractCheck("A listing continues after certificates were issued and revoked between two pages") { it in
            let device = try await it.register(.sample())
            var own: [DeviceCertificate] = []
            for _ in 0..<4 { own.append(try await it.issue(.sample(of: device))) }
            let first = try await it.ledger.certificates(CertificateListing(app: device.app, limit: 2))
            guard let next = first.next else { throw ContractViolation("the first page says that it is the last") }
            for index in [0, 2] { _ = try await it.ledger.revoke(own[index].name, .superseded, LedgerUnderTest.asked("")) }
            let new = try await it.issue(.sample(of: device))
            let rest = try await it.pages(from: next) { CertificateListing(app: device.app, position: $0, limit: 2) }
            try same(rest.flatMap(\.self), [own[2].revoked(.superseded), own[3], new], "the rest")
        },
    ]
}

extension LedgerUnderTest {
    /// The certificates of each page, in order.
    fileprivate func pages(
        from start: Int64 = 0, _ listing: (Int64) -> CertificateListing
    ) async throws -> [[DeviceCertificate]] {
        var pages: [[DeviceCertificate]] = []
        var position: Int64? = start
        while let here = position {
            let page = try await ledger.certificates(listing(here))
            pages.append(page.certificates)
            position = page.next
            guard pages.count <= 100 else { throw ContractViolation("the listing does not end") }
        }
        return pages
    }
}
