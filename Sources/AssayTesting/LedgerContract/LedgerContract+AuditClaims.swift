import AssayCore

extension LedgerContract {
    static let auditClaimsQuestions = [
        Question("keeps claims beside the audit record, for entries that bring them") { it in
            let device = try await it.register(.sample())
            let claims = AuditClaims(salt: [1], claims: [2, 3])
            try await it.expect(.sample(about: device.id, claims: claims), .committed, "an entry with claims")
            try same(await it.ledger.auditClaims(of: 1), nil, "claims of the registration, which brought none")
            try same(await it.ledger.auditClaims(of: 2), claims, "the claims")
            try same(await it.ledger.auditClaims(of: 3), nil, "claims of no record")
        },
        Question("keeps no claims of an entry that is refused") { it in
            let spend = LedgerEntry.Spend.fresh()
            try await it.expect(.sample(spends: [spend]), .committed, "the token's first use")
            let entry = LedgerEntry.sample(spends: [spend], claims: AuditClaims(salt: [1], claims: [2]))
            try await it.expect(entry, .refused(.challengeReused), "its second")
            try same(await it.ledger.auditClaims(of: 2), nil, "claims")
        },
        Question("forgets the claims of a device and of no other, and the chain stays whole") { it in
            let (one, other) = (try await it.register(.sample()), try await it.register(.sample()))
            let claims = AuditClaims(salt: [1], claims: [2])
            for device in [one, other, one] {
                try await it.expect(.sample(about: device.id, claims: claims), .committed, "an entry with claims")
            }
            let before = try await it.ledger.audit(from: 1, limit: 10)
            if let foreign = AppID("another") {
                try same(await it.ledger.forgetAuditClaims(of: one.id, app: foreign), 0, "claims forgotten for another app")
            }
            try same(await it.ledger.forgetAuditClaims(of: one.id, app: one.app), 2, "claims forgotten")
            try same(await it.ledger.forgetAuditClaims(of: one.id, app: one.app), 0, "claims forgotten the second time")
            for (number, kept) in [(3, nil), (4, claims), (5, nil)] as [(Int64, AuditClaims?)] {
                try same(await it.ledger.auditClaims(of: number), kept, "claims of record \(number)")
            }
            let rows = try await it.ledger.audit(from: 1, limit: before.rows.count).rows
            try same(rows, before.rows, "the records that were there")
        },
        Question("drops claims together with the audit records that they belong to") { it in
            let claims = AuditClaims(salt: [1], claims: [2])
            for milliseconds in 0..<3 as Range<Int64> {
                let time = LedgerUnderTest.now.adding(milliseconds: milliseconds)
                try await it.expect(.sample(time: time, claims: claims), .committed, "an entry with claims")
            }
            _ = try await it.ledger.trim(to: Retention(auditFrom: LedgerUnderTest.now.adding(milliseconds: 2)))
            for (number, kept) in [(1, nil), (2, nil), (3, claims)] as [(Int64, AuditClaims?)] {
                try same(await it.ledger.auditClaims(of: number), kept, "claims of record \(number)")
            }
        },
    ]
}
