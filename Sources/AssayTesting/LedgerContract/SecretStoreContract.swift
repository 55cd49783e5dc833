import AssayCore

/// The checks of `SecretStore`.
public enum SecretStoreContract {
    public static let checks: [ContractCheck] = [
        ContractCheck("A secret is added unless one of its name and number exists") { it in
            let first = WrappedSecret(name: "challenge", number: 7, wrapped: [1, 2, 3], createdAt: LedgerUnderTest.now)
            let second = WrappedSecret(name: "challenge", number: 7, wrapped: [4], createdAt: LedgerUnderTest.expiry)
            try same(await it.ledger.add(first), first, "the first")
            try same(await it.ledger.add(second), first, "what is stored after the second")
            try same(await it.ledger.secrets(), [first], "all secrets")
        },
        ContractCheck("64 additions race for a secret: all get the one that is stored") { it in
            let stored = try await withThrowingTaskGroup(of: WrappedSecret.self) { group in
                for number in 0..<UInt8(racers) {
                    group.addTask {
                        try await it.ledger.add(
                            WrappedSecret(name: "race", number: 1, wrapped: [number], createdAt: LedgerUnderTest.now))
                    }
                }
                var answers: Set<WrappedSecret> = []
                for try await answer in group { answers.insert(answer) }
                return answers
            }
            try same(stored.count, 1, "different answers")
            try same(Set(try await it.ledger.secrets()), stored, "what is stored")
        },
        ContractCheck("A secret is removed and no other") { it in
            for number in [1, UInt32.max] {
                for name in ["a", "b"] {
                    _ = try await it.ledger.add(
                        WrappedSecret(name: name, number: number, wrapped: [1], createdAt: LedgerUnderTest.now))
                }
            }
            try await it.ledger.removeSecret(name: "a", number: .max)
            try await it.ledger.removeSecret(name: "c", number: 1)
            let left = try await it.ledger.secrets().map { "\($0.name)\($0.number)" }.sorted()
            try same(left, ["a1", "b1", "b4294967295"], "what is left")
        },
    ]
}
