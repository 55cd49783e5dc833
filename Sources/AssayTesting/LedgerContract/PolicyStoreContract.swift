import AssayCore

/// The checks of `PolicyStore`.
public enum PolicyStoreContract {
    public static let checks: [ContractCheck] = [
        ContractCheck("A policy is kept with its text, and found by its digest and by the first bytes of it") { it in
            let policy = try sample(1, "app = one\n")
            try await it.ledger.keep(policies: [policy, try sample(2)])
            for length in [1, 4, 31, 32] {
                try same(
                    await it.ledger.policies(beginning: Array(policy.digest.prefix(length))), [policy], "by \(length) bytes")
            }
            try same(await it.ledger.policies(beginning: policy.digest + [0]), [], "by a byte too many")
            try same(await it.ledger.policies(beginning: [9]), [], "by another digest")
        },
        ContractCheck("A policy that is kept stays as it is") { it in
            let first = try sample(1, "first")
            try await it.ledger.keep(policies: [first])
            try await it.ledger.keep(policies: [
                StoredPolicy(digest: first.digest, app: first.app, text: "second", firstSeen: LedgerUnderTest.expiry)
            ])
            try same(await it.ledger.policies(beginning: first.digest), [first], "what is stored")
            try await it.ledger.keep(policies: [])
        },
        ContractCheck("Two of several policies that begin alike are found") { it in
            let policies = try (0..<3).map { number in
                StoredPolicy(
                    digest: [7, 7, 7, 7, UInt8(number)] + [UInt8](repeating: 0, count: 27), app: try app("one"), text: "x",
                    firstSeen: LedgerUnderTest.now)
            }
            try await it.ledger.keep(policies: policies)
            let found = try await it.ledger.policies(beginning: [7, 7, 7, 7])
            try same(found.count, 2, "how many")
            try same(Set(found).isSubset(of: policies), true, "that they are kept ones")
        },
        ContractCheck("Policies are listed page by page, the newest first, of one app or of all") { it in
            for number in UInt8(1)...5 {
                try await it.ledger.keep(policies: [
                    try sample(number, String(repeating: "x", count: Int(number)), of: number % 2 == 0 ? "even" : "odd")
                ])
            }
            var (listing, seen) = (PolicyListing(limit: 2), [UInt8]())
            var pages = 0
            while true {
                let page = try await it.ledger.policies(listing)
                try same(
                    page.rows.allSatisfy { $0.size == Int($0.digest.first ?? 0) && $0.firstSeen == LedgerUnderTest.now }, true,
                    "their facts")
                seen += page.rows.compactMap(\.digest.first)
                pages += 1
                guard let next = page.next else { break }
                listing.position = next
            }
            try same(seen, [5, 4, 3, 2, 1], "all")
            try same(pages, 3, "pages of two")
            let odd = try await it.ledger.policies(PolicyListing(app: try app("odd"), limit: 3))
            try same(odd.rows.compactMap(\.digest.first), [5, 3, 1], "those of one app")
            try same(odd.next, nil, "what follows a full last page")
            try same(await it.ledger.policies(PolicyListing(app: try app("none"), limit: 3)).rows, [], "of another app")
        },
    ]

    private static func app(_ name: String) throws -> AppID {
        guard let app = AppID(name) else { throw ContractViolation("no app") }
        return app
    }

    private static func sample(_ number: UInt8, _ text: String = "x", of app: String = "one") throws -> StoredPolicy {
        StoredPolicy(
            digest: [UInt8](repeating: number, count: 32), app: try Self.app(app), text: text, firstSeen: LedgerUnderTest.now)
    }
}
