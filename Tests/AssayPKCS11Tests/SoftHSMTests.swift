import AssayCore
import CPKCS11
import Crypto
import Foundation
import Testing

@testable import AssayPKCS11

extension PKCS11Tests {
    /// A real module: Debian's softhsm2.
    @Suite("SoftHSM", .enabled(if: SoftHSM.isInstalled, "SoftHSM is absent: install softhsm2"))
    struct SoftHSMTests {
        let hsm: SoftHSM
        let message = Array("what is signed".utf8)

        init() throws { hsm = try SoftHSM.shared.get() }

        func verify(_ signature: [UInt8], by key: TokenPublicKey) throws {
            switch key.curve {
            case .p256:
                let good = try P256.Signing.PublicKey(derRepresentation: key.der)
                    .isValidSignature(P256.Signing.ECDSASignature(derRepresentation: signature), for: message)
                #expect(good)
            case .p384:
                let good = try P384.Signing.PublicKey(derRepresentation: key.der)
                    .isValidSignature(P384.Signing.ECDSASignature(derRepresentation: signature), for: message)
                #expect(good)
            case .ed25519:
                let good = try Curve25519.Signing.PublicKey(rawRepresentation: key.point)
                    .isValidSignature(signature, for: message)
                #expect(good)
            }
        }

        /// The arguments with which OpenSSL verifies `signature` over `message` under `key.der`.
        private func verification(_ curve: TokenCurve, _ files: (key: String, signature: String, message: String)) -> [String] {
            switch curve {
            case .p256, .p384:
                [
                    "dgst", curve == .p256 ? "-sha256" : "-sha384", "-keyform", "DER", "-verify", files.key, "-signature",
                    files.signature, files.message,
                ]
            case .ed25519:
                [
                    "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", files.key, "-rawin", "-in", files.message,
                    "-sigfile", files.signature,
                ]
            }
        }

        @Test("Keys made in the token sign, as swift-crypto and OpenSSL verify", arguments: TokenCurve.allCases)
        func signs(_ curve: TokenCurve) async throws {
            let token = try hsm.token()
            let key = try await token.generateKey(curve, label: "signs \(curve)")
            #expect(key.publicKey.curve == curve)
            let signature = try await key.sign(message)
            try verify(signature, by: key.publicKey)
            let files = (
                try hsm.write("key.der", key.publicKey.der), try hsm.write("signature", signature),
                try hsm.write("message", message)
            )
            let text = try hsm.run("openssl", arguments: verification(curve, files))
            #expect(text.contains(curve == .ed25519 ? "Signature Verified Successfully" : "Verified OK"))
            // The key is found again by its name, and by its certificate's key.
            let found = try await token.key(KeySelector(label: "signs \(curve)"))
            #expect(found.publicKey == key.publicKey)
            let expected = try #require(TokenPublicKey(der: key.publicKey.der))
            try verify(try await TokenKey(found.selector, of: token, publicKey: expected).sign(message), by: expected)
            await token.ended()
        }

        @Test("A key made in the token cannot be read, and the token says that it never left")
        func protected() async throws {
            let token = try hsm.token()
            _ = try await token.generateKey(.p256, label: "protected", id: [7, 7])
            let facts = try #require(try await token.keys().first { $0.label == "protected" })
            #expect(facts.id == [7, 7] && facts.protection.neverLeft)
            let code = try await token.perform { connection throws(TokenError) -> UInt in
                let key = try connection.key(KeySelector(label: "protected"), expecting: nil).handle
                let session = try connection.handle()
                var bytes = [UInt8](repeating: 0, count: 4096)
                return bytes.withUnsafeMutableBytes { place in
                    var value = CK_ATTRIBUTE(type: CKA_VALUE, pValue: place.baseAddress, ulValueLen: 4096)
                    return connection.functions.getAttributeValue(session, key, &value, 1)
                }
            }
            #expect(ReturnCode(code).description == "CKR_ATTRIBUTE_SENSITIVE")
            #expect(await failure { try await token.generateKey(.p256, label: "protected") }?.code == .keyExists)
            await token.ended()
        }

        @Test("64 tasks sign at the same time, each its own message")
        func concurrent() async throws {
            let token = try hsm.token()
            let key = try await token.generateKey(.p256, label: "concurrent")
            let publicKey = try P256.Signing.PublicKey(derRepresentation: key.publicKey.der)
            let good = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<64 as Range<UInt8> {
                    group.addTask {
                        let signature = try await key.sign([number])
                        return publicKey.isValidSignature(
                            try P256.Signing.ECDSASignature(derRepresentation: signature), for: [number])
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(good == 64)
            await token.ended()
        }

        @Test("A token whose storage goes away is unavailable, and signs again with the same key when it is back")
        func removed() async throws {
            let states = StateLog()
            let token = try hsm.token(states: states)
            let key = try await token.generateKey(.p256, label: "removed")
            await states.wait { $0 == .available }
            let away = hsm.folder.appending(path: "away")
            try FileManager.default.moveItem(at: hsm.tokens, to: away)
            for _ in 0..<5 {
                let error = await failure { try await key.sign(message) }
                #expect(error?.code == .failed || error?.code == .tokenAbsent, "\(String(describing: error))")
            }
            #expect(token.problem != nil)
            try FileManager.default.moveItem(at: away, to: hsm.tokens)
            await states.wait { $0 == .available }
            try verify(try await key.sign(message), by: key.publicKey)
            await token.ended()
        }

        @Test("A token that was made after the module was initialised is found")
        func newToken() async throws {
            // SoftHSM's tool fails while the module reads the folder: no attempts between.
            let early = try hsm.token(.label("made later")) { ($0.firstRetry, $0.longestRetry) = (3_600_000, 3_600_000) }
            #expect(await failure { try await early.keys() }?.code == .tokenAbsent)
            try hsm.run("softhsm2-util", "--init-token", "--free", "--label", "made later", "--so-pin", "5678", "--pin", "1234")
            early.reload()
            #expect(try await early.keys().isEmpty)
            await early.ended()
        }

        @Test("Two tokens with one label are told apart by their serial numbers")
        func twins() async throws {
            let both = try hsm.token(.label("twin"))
            #expect(await failure { try await both.keys() }?.code == .tokenAmbiguous)
            await both.ended()
            let slots = try hsm.run("softhsm2-util", "--show-slots")
            let serials = slots.split(separator: "\n").filter { $0.contains("Serial number:") }
                .compactMap { $0.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            #expect(serials.count >= 4)
            for serial in serials {
                let token = try hsm.token(.serial(serial))
                _ = try await token.keys()
                await token.ended()
            }
        }

        @Test("A wrong PIN is told as CKR_PIN_INCORRECT, and a corrected file is enough")
        func wrongPIN() async throws {
            let path = try hsm.write("wrong", "9999")
            let token = try hsm.token(.label("other")) { $0.pinFile = path }
            let error = await failure { try await token.keys() }
            #expect(error?.code == .pinRefused && error?.returned?.description == "CKR_PIN_INCORRECT")
            #expect(error?.detail.contains("9999") == false)
            try hsm.write("wrong", SoftHSM.pin)
            _ = try await retried { try await token.keys() }
            await token.ended()
        }

        @Test("An imported key signs, and is not said to have been in the token always; an RSA key is refused")
        func imported() async throws {
            for (label, options) in [("ec", ["EC", "ec_paramgen_curve:P-256"]), ("rsa", ["RSA", "rsa_keygen_bits:2048"])] {
                let path = hsm.folder.appending(path: label + ".pem").path()
                try hsm.run("openssl", "genpkey", "-algorithm", options[0], "-pkeyopt", options[1], "-out", path)
                try hsm.run(
                    "softhsm2-util", "--import", path, "--token", "other", "--label", label, "--id",
                    label == "ec" ? "0e" : "0f",
                    "--pin", SoftHSM.pin)
            }
            let token = try hsm.token(.label("other"))
            let key = try await token.key(KeySelector(id: [0x0E]))
            try verify(try await key.sign(message), by: key.publicKey)
            let facts = try #require(try await token.keys().first { $0.label == "ec" })
            #expect(facts.publicKey == key.publicKey && !facts.protection.neverLeft && !facts.protection.wasMadeInToken)
            let error = await failure { try await token.key(KeySelector(label: "rsa")) }
            #expect(error?.code == .keyUnsuitable && error?.detail.hasSuffix("is neither an EC key nor one of Ed25519") == true)
            await token.ended()
        }
    }
}
