import AssayPKCS11
import FakePKCS11
import Testing

extension PKCS11Tests {
    @Suite("Deadlines")
    struct DeadlineTests {
        let fake: FakeToken
        let message = Array("what is signed".utf8)

        init() throws { fake = try FakeToken() }

        @Test(
            "A token that hangs fails its request after the deadline and later ones at once, and works when it answers",
            arguments: [
                FakeSign, FakeSignInit, FakeLogin, FakeGetSlotList, FakeInitialize,
            ])
        func hangs(_ function: FakeFunction) async throws {
            let token = try fake.token { $0.deadline = 50 }
            let key = TokenKey(FakeToken.key, of: token, publicKey: try #require(FakeToken.publicKey))
            // C_Initialize is called for the second attempt.
            if function == FakeInitialize { fake_fail_once(FakeGetSlotList, 0x05) }
            fake_hang(function)
            let first = await failure { try await key.sign(message) }
            #expect(first?.code == .timedOut && first?.detail.hasSuffix("did not answer within 50ms") == true)
            while await failure({ try await key.sign(message) })?.code != .notAnswering {
                try? await Task.sleep(for: .milliseconds(1))
            }
            #expect(token.problem?.code == .notAnswering)
            let calls = fake_calls(function)
            for _ in 0..<100 { #expect(await failure { try await key.sign(message) }?.code == .notAnswering) }
            #expect(fake_calls(function) == calls)
            fake_release()
            _ = try await retried { try await key.sign(message) }
            #expect(token.problem == nil)
            await token.ended()
        }

        @Test("Of the requests that wait for a hanging token, those beyond the limit are refused at once")
        func bounded() async throws {
            let token = try fake.token { $0.queueLimit = 4 }
            let key = try await token.key(FakeToken.key)
            fake_hang(FakeSign)
            let codes = await withTaskGroup(of: TokenError.Code?.self) { group in
                for _ in 0..<64 { group.addTask { await failure { try await key.sign(message) }?.code } }
                var codes: [TokenError.Code?] = []
                // One hangs and four wait, once the token's thread has taken the first.
                for _ in 0..<59 { if let code = await group.next() { codes.append(code) } }
                fake_release()
                for await code in group { codes.append(code) }
                return codes
            }
            #expect(codes.filter { $0 == .busy }.count >= 59)
            #expect(codes.filter { $0 == nil }.count >= 4)
            #expect(codes.count == 64 && codes.allSatisfy { $0 == nil || $0 == .busy })
            await token.ended()
        }

        @Test("A cancelled request ends at once, and is not begun if it waits")
        func cancelled() async throws {
            let token = try fake.token()
            let key = try await token.key(FakeToken.key)
            fake_hang(FakeSign)
            let before = fake_calls(FakeSign)
            let running = Task { await failure { try await key.sign(message) } }
            while fake_calls(FakeSign) == before { try? await Task.sleep(for: .milliseconds(1)) }
            let waiting = Task { await failure { try await key.sign(message) } }
            for task in [waiting, running] {
                task.cancel()
                #expect(await task.value?.code == .cancelled)
            }
            fake_release()
            _ = try await key.sign(message)
            #expect(fake_calls(FakeSign) == before + 2)
            await token.ended()
        }

        @Test("A key whose generation outlasts its deadline is removed from the token")
        func lateKey() async throws {
            fake_set_keys(0)
            let token = try fake.token()
            _ = try await token.keys()
            fake_hang(FakeGenerateKeyPair)
            let error = await failure { try await token.generateKey(.p256, label: "ca", id: [1], deadline: 20) }
            #expect(error?.code == .timedOut)
            fake_release()
            _ = try await token.keys()
            #expect(fake_calls(FakeGenerateKeyPair) == 1 && fake_calls(FakeDestroyObject) == 2)
            await token.ended()
        }
    }
}
