import AssayCore

extension BlockRegistryContract {
    static let certificateChecks: [ContractCheck] = [
        ContractCheck("A block revokes the certificates of the target's registered devices, and its end changes none") { it in
            for kind in BlockKind.allCases {
                let subject = SecureRandom.bytes(32)
                let (device, one) = try await it.certified(subject: subject)
                let two = try await it.issue(.sample(of: device))
                // Of the same subject, and of none.
                let (_, sibling) = try await it.certified(subject: subject)
                let (_, stranger) = try await it.certified()
                let foreign = try await it.register(
                    .sample(app: "other", keyID: device.registration.keyID, subject: subject))
                let elsewhere = try await it.issue(.sample(of: foreign))
                guard let target = device.blockTarget(kind) else { throw ContractViolation("the device has no \(kind)") }
                _ = try await it.ledger.block(target, LedgerUnderTest.asked("stolen"))
                func expect(_ certificate: DeviceCertificate, isRevoked: Bool, _ what: String) async throws {
                    let expected = isRevoked ? certificate.revoked(.privilegeWithdrawn) : certificate
                    try same(await it.bothWays(certificate), expected, "\(what), blocked by \(kind)")
                }
                for _ in 0..<2 {
                    try await expect(one, isRevoked: true, "the first certificate")
                    try await expect(two, isRevoked: true, "the second certificate")
                    try await expect(sibling, isRevoked: kind == .subject, "that of another device of the subject")
                    try await expect(stranger, isRevoked: false, "a stranger's certificate")
                    try await expect(elsewhere, isRevoked: false, "that of the same key in another app")
                    _ = try await it.ledger.unblock(target, LedgerUnderTest.asked("found"))
                }
                try await it.expect(.rests(on: one.name), .refused(.revoked), "evidence when the block is lifted")
                try await it.expect(.issue(.sample(of: device)), .committed, "a new certificate when the block is lifted")
            }
        },
        ContractCheck("A block of a certified key revokes its certificate and those renewed from it, and the key gets no other")
        { it in
            let (device, first) = try await it.certified()
            let second = try await it.issue(.sample(of: device, renewedFrom: first.name))
            let third = try await it.issue(.sample(of: device, renewedFrom: second.name))
            let beside = try await it.issue(.sample(of: device, renewedFrom: first.name))
            let unused = SecureRandom.bytes(32)
            for (keyID, revoked) in [(second.keyID, 2), (unused, 0)] {
                let target = BlockTarget.key(DeviceKey(app: device.app, keyID: keyID))
                let change = try await it.ledger.block(target, LedgerUnderTest.asked("stolen"))
                try same(change, BlockChange(wasBlocked: false, devices: 0, blocked: 0, revoked: revoked), "the result")
                try await it.expect(
                    .issue(.sample(of: device, keyID: keyID)), .refused(.deviceBlocked), "a certificate for the blocked key")
            }
            for certificate in [second, third] {
                try same(await it.bothWays(certificate), certificate.revoked(.privilegeWithdrawn), "a certificate of the key")
                try await it.expect(.rests(on: certificate.name), .refused(.revoked), "evidence that rests on it")
            }
            for certificate in [first, beside] {
                try same(await it.bothWays(certificate), certificate, "a certificate of another key")
            }
            let target = BlockTarget.key(DeviceKey(app: device.app, keyID: unused))
            _ = try await it.ledger.unblock(target, LedgerUnderTest.asked("found"))
            try await it.expect(.issue(.sample(of: device, keyID: unused)), .committed, "a certificate after the block")
        },
        ContractCheck("A block leaves earlier revocations as they are") { it in
            let (device, certificate) = try await it.certified()
            let earlier = ChangeContext(.caller("operator"), at: LedgerUnderTest.now)
            _ = try await it.ledger.revoke(certificate.name, .keyCompromise, earlier)
            _ = try await it.ledger.block(.device(device.id), LedgerUnderTest.asked("stolen"))
            let expected = certificate.revoked(.keyCompromise, at: LedgerUnderTest.now)
            try same(await it.bothWays(certificate), expected, "the certificate")
            try same(await it.ledger.revocationCount(of: LedgerUnderTest.issuer), 1, "revocations")
        },
        ContractCheck("The revocations of a block are recorded behind it, in the order in which the certificates were issued") {
            it in
            let subject = LedgerUnderTest.subject
            let (device, one) = try await it.certified(subject: subject)
            let (_, two) = try await it.certified(subject: subject)
            let three = try await it.issue(.sample(of: device))
            let revoked = try await it.issue(.sample(of: device))
            _ = try await it.ledger.revoke(revoked.name, .superseded, LedgerUnderTest.asked(""))
            let start = try await it.ledger.status().auditCount
            let context = LedgerUnderTest.asked("stolen")
            let target = BlockTarget.subject(subject, of: device.app)
            for _ in 0..<2 { _ = try await it.ledger.block(target, context) }
            _ = try await it.ledger.unblock(target, context)
            let changes = [false, true].map { BlockChange(wasBlocked: $0, devices: 2, blocked: 2) }
            let end = BlockChange(wasBlocked: true, devices: 2, blocked: 0)
            try await it.expectChanges(
                [.block(target, of: device.app, changes[0], context)]
                    + [one, two, three].map { .revoke($0, .privilegeWithdrawn, context) }
                    + [.block(target, of: device.app, changes[1], context), .unblock(target, of: device.app, end, context)],
                after: start)
        },
        ContractCheck("64 certificates for a device race its block: none stays valid") { it in
            let device = try await it.register(.sample())
            let certificates = (0..<racers).map { _ in DeviceCertificate.sample(of: device) }
            let outcomes = try await withThrowingTaskGroup(of: [CommitOutcome].self) { group in
                for (index, certificate) in certificates.enumerated() {
                    group.addTask { [try await it.commit(.issue(certificate))] }
                    guard index == racers / 2 else { continue }
                    group.addTask {
                        _ = try await it.block(.device(device.id))
                        return []
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let issued = outcomes.count { $0 == .committed }
            try same(outcomes.count { $0 == .refused(.deviceBlocked) }, racers - issued, "racers that were refused")
            let page = try await it.ledger.certificates(CertificateListing(app: device.app, limit: racers))
            try same(page.certificates.count, issued, "certificates")
            let valid = page.certificates.filter { $0.revocation == nil }
            try same(valid, [], "certificates that are not revoked")
        },
    ]
}
