import AssayCore

extension VerdictLedgerContract {
    static let certificateChecks: [ContractCheck] = [
        ContractCheck("An issued certificate is found by its name and by its key, with every field") { it in
            let (device, certificate) = try await it.certified()
            try same(await it.bothWays(certificate), certificate, "the certificate")
            let name = certificate.name
            for other in [
                CertificateName(issuer: name.issuer, serial: name.serial + [0]),
                CertificateName(issuer: name.issuer, serial: Array(name.serial.dropLast())),
                CertificateName(issuer: SecureRandom.bytes(32), serial: name.serial),
            ] {
                try same(await it.ledger.certificate(other), nil, "one with another name")
            }
            try same(await it.ledger.certificate(ofKey: SecureRandom.bytes(32), app: device.app), nil, "one of another key")
            let app = try Device.sample(app: "other").app
            try same(await it.ledger.certificate(ofKey: certificate.keyID, app: app), nil, "one in another app")
        },
        ContractCheck("An issued certificate is recorded right behind its verdict, by the verdict's caller") { it in
            let device = try await it.register(.sample())
            let start = try await it.ledger.status().auditCount
            let certificates = [DeviceCertificate.sample(of: device), .sample(of: device)]
            let entries = certificates.map { LedgerEntry.issue($0) }
            try same(await it.ledger.commit(entries), [.committed, .committed], "the outcomes")
            let rows = try await it.ledger.audit(from: start + 1, limit: 10).rows
            let expected = zip(entries, certificates).flatMap { entry, certificate in
                [entry.audit.bytes, AuditChange.issue(certificate, by: .caller("contract")).bytes]
            }
            try same(rows.map(\.record), expected, "the records")
            try same(rows.map(\.time), rows.map { _ in LedgerUnderTest.now }, "their times")
        },
        ContractCheck("The claims of an entry that issues a certificate are beside its verdict's record") { it in
            let device = try await it.register(.sample())
            let claims = AuditClaims(salt: [1], claims: [2])
            let entry = LedgerEntry.sample(
                about: device.id, claims: claims, certification: .init(issues: .sample(of: device)))
            try await it.expect(entry, .committed, "the entry")
            try same(await it.ledger.auditClaims(of: 2), claims, "the claims of the verdict")
            try same(await it.ledger.auditClaims(of: 3), nil, "claims of the certificate")
        },
        ContractCheck("64 entries race to certify one key: exactly one is committed") { it in
            let device = try await it.register(.sample())
            let keyID = SecureRandom.bytes(32)
            let racing = (0..<racers).map { _ in DeviceCertificate.sample(of: device, keyID: keyID) }
            try await it.expectOneWinner(racing.map { .issue($0) }, others: .keyAlreadyCertified)
            guard let winner = try await it.ledger.certificate(ofKey: keyID, app: device.app) else {
                throw ContractViolation("the winner is not found")
            }
            try same(racing.contains(winner), true, "the winner is one of the racers")
            let page = try await it.ledger.certificates(CertificateListing(app: device.app, limit: racers))
            try same(page.certificates, [winner], "all certificates")
        },
        ContractCheck("64 entries race for one serial number of a CA: exactly one is committed") { it in
            let device = try await it.register(.sample())
            let racing = (0..<racers).map { _ in DeviceCertificate.sample(of: device, serial: [7]) }
            try await it.expectOneWinner(racing.map { .issue($0) }, others: .certificateSerialTaken)
        },
        ContractCheck("A key is certified once in an app, and a serial number is used once by a CA, revoked or not") { it in
            let (device, certificate) = try await it.certified()
            let other = try await it.register(.sample(app: "other"))
            for revoked in [false, true] {
                if revoked { _ = try await it.ledger.revoke(certificate.name, .superseded, LedgerUnderTest.asked("")) }
                try await it.expect(
                    .issue(.sample(of: device, keyID: certificate.keyID)), .refused(.keyAlreadyCertified), "the key")
                try await it.expect(
                    .issue(.sample(of: other, serial: certificate.name.serial)), .refused(.certificateSerialTaken),
                    "the serial number")
            }
            let foreign = DeviceCertificate.sample(
                of: other, issuer: SecureRandom.bytes(32), serial: certificate.name.serial, keyID: certificate.keyID)
            try await it.expect(.issue(foreign), .committed, "the key in another app and the serial number of another CA")
            try same(await it.bothWays(foreign), foreign, "that certificate")
            let longer = DeviceCertificate.sample(of: device, serial: certificate.name.serial + [0])
            try await it.expect(.issue(longer), .committed, "a longer serial number")
        },
        ContractCheck("A certificate is issued to a device that the entry names, uses or registers, and to no other") { it in
            let (known, other) = (try await it.register(.sample()), try await it.register(.sample()))
            let new = try Device.sample()
            func entry(_ device: Device, registers: [Device] = [], advances: [LedgerEntry.Advance] = []) -> LedgerEntry {
                .sample(
                    registrations: registers, advances: advances, about: known.id,
                    certification: .init(issues: .sample(of: device)))
            }
            try await it.expect(entry(other), .refused(.unknownDevice), "another device")
            try await it.expect(entry(known), .committed, "the device that the record names")
            let advance = LedgerEntry.Advance(device: other.id, counter: 1, rule: .strictlyIncreasing)
            try await it.expect(entry(other, advances: [advance]), .committed, "a device whose counter advances")
            try await it.expect(entry(new, registers: [new]), .committed, "a device that is registered")
        },
        ContractCheck("No certificate is issued to a blocked device") { it in
            let device = try await it.register(.sample())
            _ = try await it.block(.device(device.id))
            let certificate = DeviceCertificate.sample(of: device)
            try await it.expect(.issue(certificate), .refused(.deviceBlocked), "the certificate")
            try same(await it.bothWays(certificate), nil, "the certificate")
        },
        ContractCheck("An entry whose certificate or submission is refused changes nothing") { it in
            let (known, certificate) = try await it.certified()
            let refused: [(LedgerEntry.Certification, ReasonCode)] = [
                (.init(issues: .sample(of: known, keyID: certificate.keyID)), .keyAlreadyCertified),
                (.init(issues: .sample(of: known, serial: certificate.name.serial)), .certificateSerialTaken),
                (
                    .init(issues: .sample(of: known), submission: .init(device: known.id, limit: 0)),
                    .tooManySubmissions
                ),
                (
                    .init(
                        restsOn: .init(issuer: [1], serial: [2]), issues: .sample(of: known),
                        submission: .init(device: known.id, limit: 9)), .unknownCertificate
                ),
            ]
            let before = try await it.ledger.status()
            for (number, (certification, code)) in refused.enumerated() {
                let (new, fresh) = (try Device.sample(), LedgerEntry.Spend.fresh(expiryIsFixed: number.isMultiple(of: 2)))
                let entry = LedgerEntry.sample(
                    spends: [fresh, .fresh()], registrations: [new],
                    advances: [.init(device: known.id, counter: 1, rule: .strictlyIncreasing)],
                    idempotency: .init(
                        key: [1], request: [2], expiry: LedgerUnderTest.expiry, verdict: [3], device: new.id),
                    about: known.id, certification: certification)
                try await it.expect(entry, .refused(code), "entry \(number)")
                try same(await it.ledger.status(), before, "the state of the ledger")
                try same(await it.bothWays(known), known, "the known device")
                try same(await it.bothWays(new), nil, "the new device")
                if let issued = certification.issues {
                    try same(
                        issued.keyID == certificate.keyID
                            ? nil : await it.ledger.certificate(ofKey: issued.keyID, app: known.app), nil, "the new certificate"
                    )
                }
                try same(await it.ledger.submissions(of: known.id, at: LedgerUnderTest.now), 0, "submissions")
                let kept = try await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now)
                try same(kept, nil, "the verdict")
            }
            let token = LedgerEntry.Spend.fresh()
            try await it.expect(
                .issue(.sample(of: known, keyID: certificate.keyID), spends: [token]), .refused(.keyAlreadyCertified),
                "an entry with a token")
            try await it.expect(.sample(spends: [token]), .committed, "the token afterwards")
        },
        ContractCheck("An equal request gets the verdict of the certificate's issue, and no second certificate") { it in
            let device = try await it.register(.sample())
            let certificates = (0..<racers).map { _ in DeviceCertificate.sample(of: device) }
            let outcomes = try await it.race(
                certificates.enumerated().map { number, certificate in
                    .issue(
                        certificate,
                        idempotency: .init(
                            key: [1], request: [2], expiry: LedgerUnderTest.expiry, verdict: [UInt8(number)],
                            device: device.id))
                })
            try same(outcomes.count { $0 == .committed }, 1, "winners")
            guard let kept = try await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now)?.verdict.first else {
                throw ContractViolation("no verdict is kept")
            }
            try same(outcomes.count { $0 == .repeated(verdict: [kept]) }, racers - 1, "losers that got the winner's verdict")
            let page = try await it.ledger.certificates(CertificateListing(app: device.app, limit: racers))
            try same(page.certificates, [certificates[Int(kept)]], "all certificates")
        },
        ContractCheck(
            "A stored verdict is void once the certificate is revoked that it issued, or else the one that it rests on"
        ) { it in
            let (device, first) = try await it.certified()
            let renewed = DeviceCertificate.sample(of: device, renewedFrom: first.name)
            func stored(_ key: UInt8) -> LedgerEntry.Idempotency {
                .init(key: [key], request: [2], expiry: LedgerUnderTest.expiry, verdict: [key], device: device.id)
            }
            func rests(_ certification: LedgerEntry.Certification, _ key: UInt8) -> LedgerEntry {
                .sample(idempotency: stored(key), about: device.id, certification: certification)
            }
            let bundle = LedgerEntry.Certification(restsOn: first.name)
            let renewal = LedgerEntry.Certification(restsOn: first.name, issues: renewed)
            try await it.expect(rests(bundle, 1), .committed, "a bundle")
            try await it.expect(rests(renewal, 2), .committed, "a renewal")
            func expect(_ key: UInt8, _ certification: LedgerEntry.Certification, _ objection: ReasonCode?) async throws {
                let kept = try await it.ledger.verdict(idempotencyKey: [key], now: LedgerUnderTest.now)
                try same(kept?.objection, objection, "the objection to verdict \(key)")
                let outcome = objection.map { CommitOutcome.refused($0) } ?? .repeated(verdict: [key])
                try await it.expect(rests(certification, key), outcome, "an equal request \(key)")
            }
            try await expect(1, bundle, nil)
            try await expect(2, renewal, nil)
            _ = try await it.ledger.revoke(first.name, .superseded, LedgerUnderTest.asked(""))
            try await expect(1, bundle, .revoked)
            try await expect(2, renewal, nil)
            _ = try await it.ledger.revoke(renewed.name, .keyCompromise, LedgerUnderTest.asked(""))
            try await expect(2, renewal, .revoked)
        },
        ContractCheck("Evidence rests on a certificate that is on record, not revoked and not expired") { it in
            let (device, certificate) = try await it.certified()
            func expect(_ outcome: CommitOutcome, at time: Timestamp, _ what: String) async throws {
                let later = LedgerEntry.Spend.fresh(expiry: time.adding(milliseconds: 1))
                try await it.expect(
                    .rests(on: certificate.name, time: time, spends: [later], about: device.id), outcome, what)
            }
            let unknown = CertificateName(issuer: certificate.name.issuer, serial: [9])
            try await it.expect(.rests(on: unknown), .refused(.unknownCertificate), "an unknown certificate")
            try await expect(.committed, at: LedgerUnderTest.now, "the certificate")
            try await expect(.committed, at: certificate.notAfter, "the certificate at its last instant")
            let after = certificate.notAfter.adding(milliseconds: 1)
            try await expect(.refused(.expired), at: after, "the certificate after it")
            _ = try await it.ledger.revoke(certificate.name, .keyCompromise, LedgerUnderTest.asked(""))
            try await expect(.refused(.revoked), at: LedgerUnderTest.now, "the revoked certificate")
            try await expect(.refused(.revoked), at: after, "the revoked certificate after its last instant")
        },
        ContractCheck("64 entries that rest on a certificate race its revocation: none is committed after it") { it in
            let (device, certificate) = try await it.certified()
            let start = try await it.ledger.status().auditCount
            let outcomes = try await withThrowingTaskGroup(of: [CommitOutcome].self) { group in
                for index in 0..<racers {
                    group.addTask { [try await it.commit(.rests(on: certificate.name, about: device.id))] }
                    guard index == racers / 2 else { continue }
                    group.addTask {
                        _ = try await it.ledger.revoke(certificate.name, .keyCompromise, LedgerUnderTest.asked(""))
                        // This entry is committed after the revocation is in force.
                        try await it.expect(.rests(on: certificate.name), .refused(.revoked), "an entry after it")
                        return []
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let committed = outcomes.count { $0 == .committed }
            try same(outcomes.count { $0 == .refused(.revoked) }, racers - committed, "racers that were refused")
            let rows = try await it.ledger.audit(from: start + 1, limit: AuditPage.limit).rows
            try same(rows.count, committed + 1, "records: the verdicts and the revocation")
            let last = rows.last.flatMap { AuditChange(decoding: $0.record) }?.kind
            try same(last, .revokeCertificate, "the last record")
        },
        ContractCheck("A certificate is checked after the subject and before the token, and a new one after all else") { it in
            let (device, certificate) = try await it.certified()
            let target = BlockTarget.subject(LedgerUnderTest.subject, of: device.app)
            _ = try await it.block(target)
            _ = try await it.ledger.revoke(certificate.name, .keyCompromise, LedgerUnderTest.asked(""))
            let spent = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spent]), .committed, "a token")
            let known = try await it.register(.sample())
            // Every check fails for this entry; then one after the other is put right.
            var (basis, spends): (CertificateName?, [LedgerEntry.Spend]) = (certificate.name, [spent])
            var registrations = [known.again()]
            var issues = DeviceCertificate.sample(of: try .sample(), serial: certificate.name.serial, keyID: certificate.keyID)
            var limit: Int64 = 0
            func expect(_ outcome: CommitOutcome, _ what: String) async throws {
                let entry = LedgerEntry.sample(
                    spends: spends, registrations: registrations, about: device.id, subject: LedgerUnderTest.subject,
                    certification: .init(
                        restsOn: basis, issues: issues, submission: .init(device: device.id, limit: limit)))
                try await it.expect(entry, outcome, what)
            }
            try await expect(.refused(.deviceBlocked), "the subject comes first")
            _ = try await it.ledger.unblock(target)
            try await expect(.refused(.revoked), "then the certificate that the evidence rests on")
            basis = nil
            try await expect(.refused(.challengeReused), "then the token")
            spends = [.fresh()]
            try await expect(.refused(.keyAlreadyRegistered), "then registrations")
            registrations = []
            try await expect(.refused(.unknownDevice), "then the device of the new certificate")
            issues = .sample(of: device, serial: certificate.name.serial, keyID: certificate.keyID)
            try await expect(.refused(.keyAlreadyCertified), "then its key")
            issues = .sample(of: device, serial: certificate.name.serial)
            try await expect(.refused(.certificateSerialTaken), "then its serial number")
            issues = .sample(of: device)
            try await expect(.refused(.tooManySubmissions), "then submissions")
            limit = 1
            try await expect(.committed, "then nothing")
        },
    ]

    static let submissionChecks: [ContractCheck] = [
        ContractCheck("The submissions of a device in 24 hours are counted up to the limit of the entry") { it in
            let (device, other) = (try await it.register(.sample()), try await it.register(.sample()))
            for number in 0..<3 as Range<Int64> {
                try same(await it.ledger.submissions(of: device.id, at: LedgerUnderTest.now), number, "submissions before")
                try await it.expect(.submit(device.id, atMost: 3), .committed, "submission \(number)")
            }
            let token = LedgerEntry.Spend.fresh()
            try await it.expect(
                .submit(device.id, atMost: 3, spends: [token]), .refused(.tooManySubmissions), "one more")
            try same(await it.ledger.submissions(of: device.id, at: LedgerUnderTest.now), 3, "submissions")
            try same(await it.ledger.submissions(of: other.id, at: LedgerUnderTest.now), 0, "another's submissions")
            try await it.expect(.submit(device.id, atMost: 4, spends: [token]), .committed, "one more under a greater limit")
            try await it.expect(.submit(other.id, atMost: 1), .committed, "another's submission")
            try await it.expect(.submit(other.id, atMost: .min), .refused(.tooManySubmissions), "a limit below zero")
        },
        ContractCheck("A submission is counted for 24 hours, and for at most an hour more") { it in
            let device = try await it.register(.sample())
            let (minute, hour, day): (Int64, Int64, Int64) = (60_000, 3_600_000, 86_400_000)
            // The beginning of an hour; 40 minutes later is in the same one.
            let start = Timestamp(unixMilliseconds: LedgerUnderTest.now.unixMilliseconds / hour * hour)
            func expect(_ count: Int64, at time: Timestamp, _ what: String) async throws {
                try same(await it.ledger.submissions(of: device.id, at: time), count, what)
            }
            for time in [start, start.adding(milliseconds: 40 * minute), start.adding(milliseconds: hour)] {
                let spend = LedgerEntry.Spend.fresh(expiry: time.adding(milliseconds: 1))
                try await it.expect(.submit(device.id, atMost: 3, time: time, spends: [spend]), .committed, "a submission")
            }
            try await expect(0, at: start.adding(milliseconds: -1), "before")
            try await expect(2, at: start.adding(milliseconds: hour - 1), "in the first hour")
            try await expect(3, at: start.adding(milliseconds: day), "24 hours after the first")
            try await expect(3, at: start.adding(milliseconds: day + hour - 1), "at the end of that hour")
            try await expect(1, at: start.adding(milliseconds: day + hour), "25 hours after the first")
            try await expect(0, at: start.adding(milliseconds: day + 2 * hour), "25 hours after the last")
            let later = start.adding(milliseconds: day + hour)
            let spend = LedgerEntry.Spend.fresh(expiry: later.adding(milliseconds: 1))
            try await it.expect(.submit(device.id, atMost: 2, time: later, spends: [spend]), .committed, "one more then")
        },
        ContractCheck("64 submissions of a device that may submit three race: three are committed") { it in
            let device = try await it.register(.sample())
            let outcomes = try await it.race((0..<racers).map { _ in .submit(device.id, atMost: 3) })
            try same(outcomes.count { $0 == .committed }, 3, "winners")
            try same(outcomes.count { $0 == .refused(.tooManySubmissions) }, racers - 3, "losers")
            try same(await it.ledger.submissions(of: device.id, at: LedgerUnderTest.now), 3, "submissions")
        },
    ]
}
