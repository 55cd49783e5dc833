import AssayPKCS11
import Crypto
import FakePKCS11
import Synchronization
import Testing

extension PKCS11Tests {
    @Suite("Tokens")
    struct TokenTests {
        let fake: FakeToken
        let message = Array("what is signed".utf8)

        init() throws { fake = try FakeToken() }

        func isSignature(_ der: [UInt8]) throws -> Bool {
            FakeToken.privateKey.publicKey.isValidSignature(
                try P256.Signing.ECDSASignature(derRepresentation: der), for: message)
        }

        @Test("A key is found by label, id, both, or alone; its signatures are DER and verify")
        func signs() async throws {
            let token = try fake.token()
            for selector in [
                KeySelector(label: "ca"), KeySelector(id: [1]), KeySelector(label: "ca", id: [1]), KeySelector(),
            ] {
                let key = try await token.key(selector)
                #expect(key.publicKey == FakeToken.publicKey)
                #expect(key.publicKey.der == Array(FakeToken.privateKey.publicKey.derRepresentation))
                #expect(try isSignature(try await key.sign(message)))
            }
            #expect(token.state == .available && token.problem == nil)
            #expect(fake_calls(FakeOpenSession) == 1 && fake_calls(FakeLogin) == 1)
            await token.ended()
        }

        @Test("A token is found by label, serial number or slot, as bytes, and refused when two match")
        func selectors() async throws {
            for (selector, code) in [
                (TokenSelector.label("fake"), nil), (.serial("F001"), nil), (.slot(70), nil),
                (.label("fak"), TokenError.Code.tokenAbsent), (.label("fake "), .tokenAbsent), (.serial("F002"), .tokenAbsent),
                (.slot(71), .tokenAbsent), (.label("fa\u{212A}e"), .tokenAbsent),
            ] {
                let token = try fake.token(selector)
                #expect(await failure { try await token.key(FakeToken.key) }?.code == code, "\(selector)")
                await token.ended()
            }
            fake_set_tokens(2)
            for (selector, code) in [
                (TokenSelector.label("fake"), TokenError.Code.tokenAmbiguous), (.serial("F001"), .tokenAmbiguous),
                (.slot(71), nil),
            ] {
                let token = try fake.token(selector)
                #expect(await failure { try await token.key(FakeToken.key) }?.code == code, "\(selector)")
                await token.ended()
            }
        }

        @Test("A key that is absent, that two objects match, or that is not the expected one is refused")
        func keys() async throws {
            let token = try fake.token()
            #expect(await failure { try await token.key(KeySelector(label: "none")) }?.code == .keyAbsent)
            let other = try #require(
                TokenPublicKey(curve: .p256, point: Array(P256.Signing.PrivateKey().publicKey.x963Representation)))
            let mistaken = TokenKey(FakeToken.key, of: token, publicKey: other)
            #expect(await failure { try await mistaken.sign(message) }?.code == .keyMismatch)
            // The same, once the token does not show the public key: the signature tells.
            fake_set_public_key(0)
            #expect(await failure { try await mistaken.sign(message) }?.code == .keyMismatch)
            let expected = TokenKey(FakeToken.key, of: token, publicKey: try #require(FakeToken.publicKey))
            #expect(try isSignature(try await expected.sign(message)))
            // Found once, the key is known to the session.
            #expect(await failure { try await mistaken.sign(message) }?.code == .keyMismatch)
            await token.ended()
            fake_set_keys(2)
            let doubled = try fake.token()
            #expect(await failure { try await doubled.key(FakeToken.key) }?.code == .keyAmbiguous)
            fake_set_keys(1)
            #expect(await failure { try await doubled.key(FakeToken.key) }?.code == .keyUnsuitable)
            await doubled.ended()
        }

        @Test("A token that knows no Ed25519 says so, and makes no key")
        func unknownMechanism() async throws {
            fake_set_keys(0)
            fake_fail(FakeGenerateKeyPair, 0x70)
            let token = try fake.token()
            let error = await failure { try await token.generateKey(.ed25519, label: "edwards") }
            #expect(error?.code == .keyUnsuitable && error?.detail.hasSuffix("makes no keys of Ed25519") == true)
            #expect(error?.returned?.description == "CKR_MECHANISM_INVALID")
            #expect(fake_calls(FakeDestroyObject) == 0)
            await token.ended()
        }

        @Test("A key that proved itself and then signs wrongly gives no signature")
        func wrongAfterProof() async throws {
            let publicKey = try #require(FakeToken.publicKey)
            rightSignatures.store(0, ordering: .relaxed)
            fake_reset(publicKey.point, signRightOnce)
            // What is seen is the failure, and not the next attempt.
            let token = try fake.token { ($0.firstRetry, $0.longestRetry) = (600_000, 600_000) }
            let error = await failure { try await TokenKey(FakeToken.key, of: token, publicKey: publicKey).sign(message) }
            #expect(error?.code == .signatureInvalid)
            #expect(token.problem == error)
            #expect(fake_calls(FakeSign) == 2)
            await token.ended()
        }

        @Test("A signature of another key never leaves, and costs the session")
        func signatures() async throws {
            let token = try fake.token { ($0.firstRetry, $0.longestRetry) = (600_000, 600_000) }
            let key = try await token.key(FakeToken.key)
            fake_reset(key.publicKey.point, signWithAnotherKey)
            let error = await failure { try await key.sign(message) }
            // The request is made again in a new session, where the key does not prove itself.
            #expect(error?.code == .keyMismatch)
            #expect(fake_calls(FakeOpenSession) == 1)
            await token.ended()
        }

        @Test(
            "Lengths beyond their bounds are refused",
            arguments: [
                (FakeGetSlotList, 257), (FakeGetSlotList, .max), (FakeFindObjects, 17), (FakeFindObjects, .max),
                (FakeGetAttributeValue, 4097), (FakeGetAttributeValue, .max - 1), (FakeSign, 257), (FakeSign, .max),
                (FakeSign, 63),
            ] as [(FakeFunction, UInt)])
        func lengths(_ function: FakeFunction, _ length: UInt) async throws {
            let token = try fake.token()
            fake_lie(function, length)
            let error = await failure { try await token.key(FakeToken.key) }
            if length == 63 {
                #expect(error?.code == .keyMismatch)
            } else {
                #expect(error?.code == .failed)
                #expect(error?.detail.hasSuffix("answered with a length beyond its bounds") == true)
            }
            await token.ended()
        }

        @Test("A listing of endless objects ends at 1024 keys")
        func endless() async throws {
            let token = try fake.token()
            fake_lie(FakeFindObjects, 16)
            let keys = await failure { try await token.keys() }
            // Handles that the fake does not know.
            #expect(keys?.returned?.description == "CKR_OBJECT_HANDLE_INVALID")
            #expect(fake_calls(FakeFindObjects) <= 2 * 1024 / 16)
            await token.ended()
        }

        @Test("A key that may leave the token is removed after its generation")
        func extractable() async throws {
            fake_set_keys(0)
            fake_set_extractable(1)
            let token = try fake.token()
            let error = await failure { try await token.generateKey(.p256, label: "ca", id: [1]) }
            #expect(error?.code == .keyUnsuitable && error?.detail.contains("may leave it; it was removed") == true)
            #expect(fake_calls(FakeGenerateKeyPair) == 1 && fake_calls(FakeDestroyObject) == 2)
            #expect(fake_sessions() == 1)
            await token.ended()
        }

        @Test("A key is not made under a label or an id that a key has")
        func exists() async throws {
            let token = try fake.token()
            for (label, id) in [("ca", [UInt8](repeating: 9, count: 4)), ("new", [1])] {
                #expect(await failure { try await token.generateKey(.p256, label: label, id: id) }?.code == .keyExists)
            }
            for (label, id) in [("", [UInt8(1)]), (String(repeating: "x", count: 256), [1]), ("new", [])] {
                #expect(await failure { try await token.generateKey(.p256, label: label, id: id) }?.code == .keyUnsuitable)
            }
            #expect(fake_calls(FakeGenerateKeyPair) == 0)
            await token.ended()
        }

        @Test("A generation that fails is not made again")
        func generationFails() async throws {
            fake_set_keys(0)
            let token = try fake.token()
            _ = try await token.keys()
            fake_fail(FakeGenerateKeyPair, 0x30)
            let error = await failure { try await token.generateKey(.p256, label: "ca", id: [1]) }
            #expect(error?.detail == "C_GenerateKeyPair returned CKR_DEVICE_ERROR")
            #expect(fake_calls(FakeGenerateKeyPair) == 1)
            await token.ended()
        }
    }
}
