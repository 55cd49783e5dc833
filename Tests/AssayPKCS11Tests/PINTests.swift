import AssayPKCS11
import FakePKCS11
import Foundation
import Testing

extension PKCS11Tests {
    @Suite("PINs")
    struct PINTests {
        let fake: FakeToken

        init() throws { fake = try FakeToken() }

        @Test("A wrong PIN is tried once, until the file has another or an operator reloads")
        func wrong() async throws {
            try fake.writePIN("1111")
            let token = try fake.token()
            for _ in 0..<50 {
                let error = await failure { try await token.keys() }
                #expect(error?.code == .pinRefused && error?.detail.contains("(CKR_PIN_INCORRECT)") == true)
            }
            // The same PIN, written again.
            try fake.writePIN("1111\n")
            for _ in 0..<50 { #expect(await failure { try await token.keys() }?.code == .pinRefused) }
            #expect(fake_calls(FakeLogin) == 1 && fake_wrong_pins() == 1)
            token.reload()
            #expect(await failure { try await token.keys() }?.code == .pinRefused)
            #expect(fake_calls(FakeLogin) == 2)
            await token.ended()
        }

        @Test("Two CAs with one token share it, and try a wrong PIN once")
        func shared() async throws {
            try fake.writePIN("1111")
            let module = try PKCS11Module.module(fake_function_list(), name: "fake")
            var settings = TokenSettings(module: "/fake", token: .label("fake"), pinFile: fake.pinFile)
            (settings.firstRetry, settings.longestRetry) = (1, 1)
            let first = try Token.shared(settings, module: module)
            let second = try Token.shared(settings, module: module)
            #expect(first === second)
            for token in [first, second] { #expect(await failure { try await token.keys() }?.code == .pinRefused) }
            #expect(fake_calls(FakeLogin) == 1)
            settings.token = .slot(70)
            #expect(try Token.shared(settings, module: module) !== first)
        }

        @Test("Keys of one token that are looked for together try a wrong PIN once, and each tells its own problem")
        func prepared() async throws {
            try fake.writePIN("1111")
            let token = try fake.token()
            let publicKey = try #require(FakeToken.publicKey)
            let keys = [FakeToken.key, KeySelector(label: "none"), KeySelector(id: [1])].map {
                TokenKey($0, of: token, publicKey: publicKey)
            }
            TokenKey.prepare(keys)
            // A request waits for what was asked before it.
            #expect(await failure { try await token.keys() }?.code == .pinRefused)
            #expect(fake_calls(FakeLogin) == 1 && keys.allSatisfy { $0.problem?.code == .pinRefused })
            try fake.writePIN("2468")
            TokenKey.prepare(keys)
            _ = try await token.keys()
            #expect(keys.map { $0.problem?.code } == [nil, .keyAbsent, nil])
            await token.ended()
        }

        @Test("A PIN that was corrected in its file is tried without a reload")
        func corrected() async throws {
            try fake.writePIN("1111")
            let states = StateLog()
            let token = try fake.token(states: states)
            #expect(await failure { try await token.keys() }?.code == .pinRefused)
            try fake.writePIN("2468")
            await states.wait { $0 == .available }
            #expect(fake_calls(FakeLogin) == 2 && fake_wrong_pins() == 0)
            await token.ended()
        }

        @Test("The last attempt before the lock is left to a person, unless the PIN was right before")
        func finalTry() async throws {
            let token = try fake.token()
            _ = try await token.keys()
            // Two wrong PINs of others.
            fake_fail(FakeSignInit, 0xB3)
            for pin in ["1111", "1112"] {
                try fake.writePIN(pin)
                fake_remove()
                fake_insert(0)
                let other = try fake.token()
                #expect(await failure { try await other.keys() }?.code == .pinRefused)
                await other.ended()
            }
            fake_fail(FakeSignInit, 0)
            #expect(fake_wrong_pins() == 2)
            let logins = fake_calls(FakeLogin)
            try fake.writePIN("2468")
            let careful = try fake.token()
            let error = await failure { try await careful.keys() }
            #expect(error?.code == .pinRefused && error?.detail.hasPrefix("one more wrong PIN locks") == true)
            #expect(fake_calls(FakeLogin) == logins)
            await careful.ended()
            // The token that logged in with this PIN before.
            _ = try await token.keys()
            #expect(fake_calls(FakeLogin) == logins + 1 && fake_wrong_pins() == 0)
            await token.ended()
        }

        @Test("A PIN that the token did not look at, since the process was logged in, has not been right before")
        func behindAnotherLogin() async throws {
            let right = try fake.token()
            _ = try await right.keys()
            let wrongFile = fake.folder.appending(path: "wrong").path()
            try fake.writePIN("1111", to: wrongFile)
            let behind = try fake.token { $0.pinFile = wrongFile }
            _ = try await behind.keys()
            #expect(fake_calls(FakeLogin) == 2 && fake_wrong_pins() == 0)
            await right.ended()
            // All sessions are lost, and others give two wrong PINs.
            for pin in ["1112", "1113"] {
                try fake.writePIN(pin)
                fake_remove()
                fake_insert(0)
                let other = try fake.token()
                #expect(await failure { try await other.keys() }?.code == .pinRefused)
                await other.ended()
            }
            let error = await failure { try await behind.keys() }
            #expect(error?.code == .pinRefused && error?.detail.hasPrefix("one more wrong PIN locks") == true)
            #expect(fake_calls(FakeLogin) == 4 && fake_wrong_pins() == 2)
            await behind.ended()
        }

        @Test("A token that is locked is not asked to log in")
        func locked() async throws {
            for pin in ["1111", "1112"] {
                try fake.writePIN(pin)
                let token = try fake.token()
                #expect(await failure { try await token.keys() }?.code == .pinRefused)
                await token.ended()
            }
            fake_fail(FakeLogin, 0xA4)
            let last = try fake.token()
            #expect(await failure { try await last.keys() }?.code == .pinRefused)
            await last.ended()
        }

        @Test(
            "Each code that is about the PIN is named and final",
            arguments: [
                (0xA0, "CKR_PIN_INCORRECT"), (0xA1, "CKR_PIN_INVALID"), (0xA2, "CKR_PIN_LEN_RANGE"), (0xA3, "CKR_PIN_EXPIRED"),
                (0xA4, "CKR_PIN_LOCKED"), (0x102, "CKR_USER_PIN_NOT_INITIALIZED"),
            ] as [(UInt, String)])
        func codes(_ code: UInt, _ name: String) async throws {
            fake_fail(FakeLogin, code)
            let token = try fake.token()
            for _ in 0..<20 {
                let error = await failure { try await token.keys() }
                #expect(error?.code == .pinRefused && error?.returned?.description == name)
                #expect(error?.detail.contains(name) == true && error?.detail.contains("2468") == false)
            }
            #expect(fake_calls(FakeLogin) == 1)
            await token.ended()
        }
    }
}
