import AssayCore

extension CertificateRegistryContract {
    static let renewalChecks: [ContractCheck] = [
        ContractCheck("A certificate is renewed from one on record, and keeps its name, also when the device is forgotten") {
            it in
            let (device, first) = try await it.certified()
            let renewed = try await it.issue(.sample(of: device, issuer: SecureRandom.bytes(32), renewedFrom: first.name))
            let last = try await it.issue(.sample(of: device, renewedFrom: renewed.name))
            for certificate in [first, renewed, last] {
                try same(await it.bothWays(certificate), certificate, "a certificate")
            }
            let page = try await it.ledger.certificates(CertificateListing(app: device.app, limit: 10))
            try same(page.certificates, [first, renewed, last], "the listing")
            let unknown = CertificateName(issuer: first.name.issuer, serial: renewed.name.serial)
            let orphan = DeviceCertificate.sample(of: device, renewedFrom: unknown)
            try await it.expect(.issue(orphan), .refused(.unknownCertificate), "one renewed from none on record")
            try same(await it.bothWays(orphan), nil, "that one")
            _ = try await it.ledger.forget(device.id, LedgerUnderTest.asked(""))
            try same(await it.bothWays(last)?.renewedFrom, renewed.name, "the name after the device was forgotten")
        },
        ContractCheck("A revocation for key compromise revokes all that descend from the certificate, and no others") { it in
            let (device, above) = try await it.certified()
            let root = try await it.issue(.sample(of: device, renewedFrom: above.name))
            let one = try await it.issue(.sample(of: device, renewedFrom: root.name))
            let below = try await it.issue(.sample(of: device, renewedFrom: one.name))
            let two = try await it.issue(.sample(of: device, renewedFrom: root.name))
            let last = try await it.issue(.sample(of: device, renewedFrom: below.name))
            let beside = try await it.issue(.sample(of: device, renewedFrom: above.name))
            let start = try await it.ledger.status().auditCount
            let context = LedgerUnderTest.asked("stolen")
            let change = try await it.ledger.revoke(root.name, .keyCompromise, context)
            let expected = RevocationChange(
                certificate: root.revoked(.keyCompromise), wasRevoked: false,
                renewals: [one, two, below, last].map(\.name))
            try same(change, expected, "the first")
            for certificate in [root, one, two, below, last] {
                try same(await it.bothWays(certificate), certificate.revoked(.keyCompromise), "one that descends from it")
                try await it.expect(.rests(on: certificate.name), .refused(.revoked), "evidence that rests on it")
            }
            for certificate in [above, beside] { try same(await it.bothWays(certificate), certificate, "another one") }
            try same(await it.ledger.revocationCount(of: LedgerUnderTest.issuer), 5, "revocations")
            let again = try await it.ledger.revoke(root.name, .keyCompromise, context)
            try same(again, RevocationChange(certificate: root.revoked(.keyCompromise), wasRevoked: true), "the second")
            try await it.expectChanges(
                [root, one, two, below, last].map { .revoke($0, .keyCompromise, context) }, after: start)
        },
        ContractCheck("A revocation for another reason leaves certificates that were renewed from the certificate as they are")
        { it in
            let device = try await it.register(.sample())
            for reason in RevocationReason.allCases where reason != .keyCompromise {
                let certificate = try await it.issue(.sample(of: device))
                let renewed = try await it.issue(.sample(of: device, renewedFrom: certificate.name))
                let change = try await it.ledger.revoke(certificate.name, reason, LedgerUnderTest.asked(""))
                try same(change, RevocationChange(certificate: certificate.revoked(reason), wasRevoked: false), reason.name)
                try same(await it.bothWays(renewed), renewed, "the renewed one")
            }
        },
        ContractCheck("A key compromise that is found later revokes what descends from a revoked certificate") { it in
            let (device, root) = try await it.certified()
            let one = try await it.issue(.sample(of: device, renewedFrom: root.name))
            let below = try await it.issue(.sample(of: device, renewedFrom: one.name))
            for certificate in [root, one] {
                _ = try await it.ledger.revoke(certificate.name, .superseded, LedgerUnderTest.asked(""))
            }
            let later = ChangeContext(.caller("operator"), at: LedgerUnderTest.expiry)
            let change = try await it.ledger.revoke(root.name, .keyCompromise, later)
            let expected = RevocationChange(
                certificate: root.revoked(.superseded), wasRevoked: true, renewals: [below.name])
            try same(change, expected, "the change")
            try same(await it.bothWays(one), one.revoked(.superseded), "one that was revoked before")
            try same(await it.bothWays(below), below.revoked(.keyCompromise, at: later.time), "the one below it")
        },
        ContractCheck("64 renewals race a revocation for key compromise: none of them is good afterwards") { it in
            let (device, root) = try await it.certified()
            let renewed = (0..<racers).map { _ in DeviceCertificate.sample(of: device, renewedFrom: root.name) }
            let outcomes = try await withThrowingTaskGroup(of: [CommitOutcome].self) { group in
                for (index, certificate) in renewed.enumerated() {
                    let entry = LedgerEntry.sample(
                        about: device.id, certification: .init(restsOn: root.name, issues: certificate))
                    group.addTask { [try await it.commit(entry)] }
                    guard index == racers / 2 else { continue }
                    group.addTask {
                        _ = try await it.ledger.revoke(root.name, .keyCompromise, LedgerUnderTest.asked(""))
                        return []
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let committed = outcomes.count { $0 == .committed }
            try same(outcomes.count { $0 == .refused(.revoked) }, racers - committed, "renewals that were refused")
            let good = try await it.ledger.certificates(
                CertificateListing(app: device.app, isRevoked: false, limit: racers + 1))
            try same(good.certificates, [], "certificates that are good")
            try same(await it.ledger.revocationCount(of: LedgerUnderTest.issuer), Int64(committed + 1), "revocations")
        },
        ContractCheck("More certificates than one call revokes are revoked by further calls, which tell when all are") { it in
            let (device, root) = try await it.certified()
            let limit = RevocationChange.renewalLimit
            let renewed = (0...limit).map { _ in DeviceCertificate.sample(of: device, renewedFrom: root.name) }
            let last = DeviceCertificate.sample(of: device, renewedFrom: renewed[0].name)
            for certificates in [renewed, [last]] {
                let outcomes = try await it.ledger.commit(certificates.map { .issue($0) })
                try same(outcomes.allSatisfy { $0 == .committed }, true, "all certificates are issued")
            }
            let names = (renewed + [last]).map(\.name)
            for (wasRevoked, portion) in [(false, names[..<limit]), (true, names[limit...]), (true, [])] {
                let change = try await it.ledger.revoke(root.name, .keyCompromise, LedgerUnderTest.asked(""))
                let expected = RevocationChange(
                    certificate: root.revoked(.keyCompromise), wasRevoked: wasRevoked, renewals: Array(portion),
                    hasMoreRenewals: !wasRevoked)
                try same(change, expected, "a call")
            }
            try same(await it.bothWays(last), last.revoked(.keyCompromise), "the last certificate")
        },
    ]
}
