import AssayCore

extension VerdictLedgerContract {
    static let replacementChecks: [ContractCheck] = [
        ContractCheck(
            "A registration that replaces a device removes it in the same commit, and records that behind its verdict"
        ) {
            it in
            let old = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let certificate = DeviceCertificate.sample(of: old)
            try await it.expect(.issue(certificate), .committed, "a certificate of the old device")
            let start = try await it.ledger.status().auditCount
            let new = try Device.sample(subject: LedgerUnderTest.subject)
            let entry = LedgerEntry.register(new, replacing: old)
            try await it.expect(entry, .committed, "the registration")
            try same(await it.bothWays(old), nil, "the old device")
            try same(await it.bothWays(new), new, "the new device")
            try same(await it.ledger.status().devices, 1, "devices")
            let found = try await it.ledger.certificate(certificate.name)
            try same(found?.revocation?.reason, .superseded, "the reason of the revocation")
            try same(found?.der.isEmpty, true, "that the certificate's bytes are gone")
            let context = ChangeContext(.caller("contract"), at: LedgerUnderTest.now, reason: "lost")
            let rows = try await it.ledger.audit(from: start + 1, limit: 10).rows
            let expected = [
                entry.audit.bytes, AuditChange.forget(old, ForgottenDevice(keyStaysBlocked: false), context).bytes,
                AuditChange.revoke(certificate, .superseded, context).bytes,
            ]
            try same(rows.map(\.record), expected, "the records")
            try await it.expect(.advance(old.id, to: 1), .refused(.unknownDevice), "evidence of the old device")
            try await it.expect(.advance(new.id, to: 1), .committed, "evidence of the new device")
            // As after a forgetting.
            try await it.expect(.register(old.again()), .committed, "the old key")
        },
        ContractCheck(
            "A device that is replaced is not counted among those of its subject, and one of another subject changes nothing"
        ) { it in
            let subject = LedgerUnderTest.subject
            let old = try await it.register(.sample(subject: subject))
            let stranger = try await it.register(.sample(subject: [UInt8](repeating: 1, count: 32)))
            let new = try Device.sample(subject: subject)
            try await it.expect(.register(new, atMost: 1), .refused(.tooManyDevices), "a second device")
            try await it.expect(
                .register(new, atMost: 1, replacing: stranger), .refused(.tooManyDevices), "one in a stranger's place")
            try same(await it.bothWays(stranger), stranger, "the stranger")
            try await it.expect(.register(new, atMost: 1, replacing: old), .committed, "one in its place")
            try await it.expect(
                .register(.sample(subject: subject), atMost: 1), .refused(.tooManyDevices), "a second device again")
            let last = try Device.sample(subject: subject)
            try await it.expect(.register(last, atMost: 2, replacing: stranger), .committed, "one in a stranger's place")
            try same(await it.ledger.status().devices, 2, "devices")
            let third = try Device.sample(subject: subject)
            try await it.expect(.register(third, atMost: 2), .refused(.tooManyDevices), "a third one")
            try await it.expect(
                .register(.sample(subject: [UInt8](repeating: 1, count: 32)), atMost: 1), .committed, "the stranger's next")
        },
        ContractCheck("A replaced device must be registered and not blocked, and a refused entry replaces nothing") { it in
            let old = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let new = try Device.sample()
            try await it.expect(
                .register(new, replacing: Device.sample()), .refused(.unknownDevice), "one that was never registered")
            _ = try await it.block(.device(old.id))
            try await it.expect(.register(new, replacing: old), .refused(.deviceBlocked), "one that is blocked")
            _ = try await it.ledger.unblock(.device(old.id))
            _ = try await it.block(.subject(LedgerUnderTest.subject, of: old.app))
            try await it.expect(.register(new, replacing: old), .refused(.deviceBlocked), "one whose subject is blocked")
            _ = try await it.ledger.unblock(.subject(LedgerUnderTest.subject, of: old.app))
            try await it.expect(
                .register(old.again(), replacing: old), .refused(.keyAlreadyRegistered), "its own key, again")
            let spent = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spent]), .committed, "a token")
            try await it.expect(
                .register(new, spends: [spent], replacing: old), .refused(.challengeReused), "a token that was spent")
            try same(await it.bothWays(old), old, "the old device")
            try same(await it.bothWays(new), nil, "the new device")
            try await it.expect(.register(new, replacing: old), .committed, "then nothing")
            try await it.expect(.register(.sample(), replacing: old), .refused(.unknownDevice), "one that was replaced before")
        },
        ContractCheck("64 entries race to replace one device: exactly one is committed") { it in
            let old = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let racing = try (0..<racers).map { _ in
                LedgerEntry.register(try .sample(subject: LedgerUnderTest.subject), atMost: 1, replacing: old)
            }
            try await it.expectOneWinner(racing, others: .unknownDevice)
            try same(await it.ledger.status().devices, 1, "devices")
        },
        ContractCheck("Entries of one call before and behind a replacement see it in their order") { it in
            let old = try await it.register(.sample(subject: LedgerUnderTest.subject))
            let new = try Device.sample(subject: LedgerUnderTest.subject)
            let certificate = DeviceCertificate.sample(of: old)
            let outcomes = try await it.ledger.commit([
                .advance(old.id, to: 1), .issue(certificate), .register(new, atMost: 1, replacing: old),
                .advance(old.id, to: 2), .advance(new.id, to: 1), .register(old.again()),
            ])
            try same(
                outcomes, [.committed, .committed, .committed, .refused(.unknownDevice), .committed, .committed], "the outcomes"
            )
            try same(
                await it.ledger.certificate(certificate.name)?.revocation?.reason, .superseded,
                "the reason of the revocation of what was issued right before")
            try same(await it.ledger.status().devices, 2, "devices")
            try same(await it.ledger.device(new.id)?.counter, 1, "the new device's counter")
        },
        ContractCheck(
            "A verdict that is kept about a device is void once the device is replaced, and the new one's is repeated"
        ) { it in
            let old = try await it.register(.sample())
            try await it.expect(
                .ask(key: [1], request: [1], verdict: [1], device: old.id), .committed, "a verdict about the old device")
            let new = try Device.sample()
            let entry = LedgerEntry.sample(
                registrations: [new],
                idempotency: .init(key: [2], request: [2], expiry: LedgerUnderTest.expiry, verdict: [2], device: new.id),
                about: new.id, replacing: old)
            try await it.expect(entry, .committed, "the registration")
            try await it.expect(entry, .repeated(verdict: [2]), "the same again")
            let kept = try await it.ledger.verdict(idempotencyKey: [1], now: LedgerUnderTest.now)
            try same(kept?.objection, .unknownDevice, "what speaks against the old verdict")
        },
    ]
}
