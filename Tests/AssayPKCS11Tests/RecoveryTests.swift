import AssayPKCS11
import FakePKCS11
import Testing

extension PKCS11Tests {
    @Suite("Recovery")
    struct RecoveryTests {
        let fake: FakeToken
        let message = Array("what is signed".utf8)

        init() throws { fake = try FakeToken() }

        /// What tokens that went away return, and its name.
        static let gone: [(UInt, String)] = [
            (0x03, "CKR_SLOT_ID_INVALID"), (0x05, "CKR_GENERAL_ERROR"), (0x06, "CKR_FUNCTION_FAILED"),
            (0x30, "CKR_DEVICE_ERROR"),
            (0x32, "CKR_DEVICE_REMOVED"), (0x60, "CKR_KEY_HANDLE_INVALID"), (0x82, "CKR_OBJECT_HANDLE_INVALID"),
            (0x90, "CKR_OPERATION_ACTIVE"), (0xB0, "CKR_SESSION_CLOSED"), (0xB3, "CKR_SESSION_HANDLE_INVALID"),
            (0xE0, "CKR_TOKEN_NOT_PRESENT"), (0xE1, "CKR_TOKEN_NOT_RECOGNIZED"), (0x101, "CKR_USER_NOT_LOGGED_IN"),
            (0x190, "CKR_CRYPTOKI_NOT_INITIALIZED"), (0x8000_0001, "CKR 0x80000001"),
        ]

        @Test("A session that was lost once is opened again within the request", arguments: gone)
        func once(_ code: UInt, _ name: String) async throws {
            let token = try fake.token()
            let key = try await token.key(FakeToken.key)
            for function in [FakeSignInit, FakeSign] {
                let sessions = fake_calls(FakeOpenSession)
                fake_fail_once(function, code)
                _ = try await key.sign(message)
                #expect(fake_calls(FakeOpenSession) == sessions + 1)
            }
            #expect(token.problem == nil)
            await token.ended()
        }

        @Test("A token that fails is unavailable with the code's name, and used again when it works", arguments: gone)
        func lasting(_ code: UInt, _ name: String) async throws {
            let states = StateLog()
            let token = try fake.token(states: states)
            let key = try await token.key(FakeToken.key)
            fake_fail(FakeSignInit, code)
            let error = await failure { try await key.sign(message) }
            #expect(error?.code == .failed && error?.detail == "C_SignInit returned \(name)")
            #expect(token.problem == error)
            fake_fail(FakeSignInit, 0)
            await states.wait { $0 == .available }
            _ = try await retried { try await key.sign(message) }
            #expect(token.problem == nil)
            await token.ended()
        }

        @Test(
            "A request that the token cannot meet leaves the session open",
            arguments: [
                (0x70, "CKR_MECHANISM_INVALID"), (0x63, "CKR_KEY_TYPE_INCONSISTENT"), (0x68, "CKR_KEY_FUNCTION_NOT_PERMITTED"),
            ] as [(UInt, String)])
        func refused(_ code: UInt, _ name: String) async throws {
            let token = try fake.token()
            let key = try await token.key(FakeToken.key)
            fake_fail(FakeSignInit, code)
            #expect(await failure { try await key.sign(message) }?.detail == "C_SignInit returned \(name)")
            #expect(fake_calls(FakeOpenSession) == 1 && token.problem == nil)
            fake_fail(FakeSignInit, 0)
            _ = try await key.sign(message)
            await token.ended()
        }

        @Test("A token that is pulled and put back signs again without a request in between", arguments: [false, true])
        func removed(_ renewed: Bool) async throws {
            let states = StateLog()
            let token = try fake.token(states: states)
            let key = try await token.key(FakeToken.key)
            await states.wait { $0 == .available }
            fake_remove()
            #expect(await failure { try await key.sign(message) }?.code == .tokenAbsent)
            #expect(await failure { try await key.sign(message) }?.code == .tokenAbsent)
            fake_insert(renewed ? 1 : 0)
            await states.wait { $0 == .available }
            _ = try await key.sign(message)
            await token.ended()
        }

        @Test("A token that is away at the start is used when it comes")
        func absentAtStart() async throws {
            fake_remove()
            let states = StateLog()
            let token = try fake.token(states: states)
            let key = TokenKey(FakeToken.key, of: token, publicKey: try #require(FakeToken.publicKey))
            #expect(token.state == .untried)
            #expect(await failure { try await key.sign(message) }?.code == .tokenAbsent)
            fake_insert(1)
            await states.wait { $0 == .available }
            _ = try await key.sign(message)
            await token.ended()
        }

        @Test("An idle token that is pulled is noticed without a request")
        func idle() async throws {
            let states = StateLog()
            let token = try fake.token(states: states) { $0.checkInterval = 1 }
            _ = try await token.key(FakeToken.key)
            fake_remove()
            await states.wait { if case .unavailable(let error) = $0 { error.code == .tokenAbsent } else { false } }
            fake_insert(0)
            await states.wait { $0 == .available }
            // A key that is gone is not the token's problem.
            fake_set_keys(0)
            #expect(await failure { try await token.keys() } == nil)
            while await failure({ try await token.key(FakeToken.key) })?.code != .keyAbsent {
                try? await Task.sleep(for: .milliseconds(1))
            }
            #expect(token.problem == nil)
            await token.ended()
        }

        @Test("Requests during a pause fail at once, and do not reach the module")
        func pauses() async throws {
            fake_remove()
            let token = try fake.token { ($0.firstRetry, $0.longestRetry) = (3_600_000, 3_600_000) }
            #expect(await failure { try await token.key(FakeToken.key) }?.code == .tokenAbsent)
            let calls = fake_calls(FakeGetSlotList)
            fake_insert(0)
            for _ in 0..<10 { #expect(await failure { try await token.key(FakeToken.key) }?.code == .tokenAbsent) }
            #expect(fake_calls(FakeGetSlotList) == calls)
            token.reload()
            _ = try await token.key(FakeToken.key)
            await token.ended()
        }

        @Test("A module is not initialised again while another of its tokens has a session")
        func shared() async throws {
            let working = try fake.token()
            let key = try await working.key(FakeToken.key)
            let finalized = fake_calls(FakeFinalize)
            let states = StateLog()
            let missing = try fake.token(.label("missing"), states: states)
            for _ in 0..<20 { #expect(await failure { try await missing.keys() }?.code == .tokenAbsent) }
            #expect(fake_calls(FakeFinalize) == finalized)
            _ = try await key.sign(message)
            #expect(fake_calls(FakeOpenSession) == 1)
            await missing.ended()
            await working.ended()
        }

        @Test("A token that is dropped closes its session")
        func dropped() async throws {
            var token: Token? = try fake.token()
            _ = try await token?.keys()
            #expect(fake_sessions() == 1)
            token = nil
            while fake_sessions() > 0 { try? await Task.sleep(for: .milliseconds(1)) }
        }

        @Test("A closed token refuses requests")
        func closed() async throws {
            let token = try fake.token()
            await token.ended()
            #expect(await failure { try await token.keys() }?.code == .closed)
        }
    }
}

/// Repeats a request that fails until the token's thread has gone on, for 30 s at most.
func retried<T>(_ request: () async throws -> T) async throws -> T {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
        if let value = try? await request() { return value }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return try await request()
}
