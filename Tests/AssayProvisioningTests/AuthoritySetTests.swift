import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning
import AssaySimulator
import Testing

@Suite("CAs and their rotation")
struct AuthoritySetTests {
    private static let (now, day) = (TestCA.now, TestCA.day)

    @Test("The CA that started last signs; the next is published before it starts, and the one before retires until it ends")
    func rotation() async throws {
        let first = try await TestCA(name: "a", validity: 400 * Self.day)
        let start = Self.now.adding(milliseconds: 30 * Self.day)
        let second = try await TestCA(
            name: "b", number: 2, at: Self.now.adding(milliseconds: Self.day), signsFrom: start, root: first.root)
        let set = try AuthoritySet([first.issuing, second.issuing])
        func states(_ days: Int64) -> [AuthorityFacts.State] {
            set.authorities(at: Self.now.adding(milliseconds: days * Self.day)).map(\.state)
        }
        #expect(states(-1) == [.next, .next])
        #expect(states(0) == [.signing, .next])
        #expect(states(29) == [.signing, .next])
        #expect(states(30) == [.retiring, .signing])
        #expect(states(400) == [.retiring, .signing])
        #expect(states(401) == [.ended, .signing])
        #expect(states(6 * 365) == [.ended, .ended])
        #expect(set.authorities(at: Self.now).map(\.name) == ["a", "b"])
        #expect(set.authorities(at: Self.now).allSatisfy { $0.problem == nil && $0.chain.count == 2 })

        let key = SigningKey.random(.p256).publicKey
        let ordered = try order(publicKey: key)
        let before = try await set.issue(ordered, at: start.adding(milliseconds: -1))
        #expect(before.certificate.name.issuer == first.issuing.issuer)
        let after = try await set.issue(ordered, at: start)
        #expect(after.certificate.name.issuer == second.issuing.issuer)
        #expect(after.chain == second.issuing.chain.encoded)
        for days in [-1, 6 * 365] as [Int64] {
            await #expect(throws: AuthorityError.noSigningAuthority) {
                try await set.issue(ordered, at: Self.now.adding(milliseconds: days * Self.day))
            }
        }
    }

    @Test(
        "The secret in a fleet's certificate is read below the arc of today, and below those that certificates were issued with before",
        arguments: ["2.25.55429146244720506038099901017286360737.1", "1.3.6.1.4.1.60000.1", "1.3.6.1.4.1.32473.1"])
    func earlierArcs(_ issued: String) async throws {
        let set = try await TestCA().set
        let secrets = FleetSecrets(
            tables: KeyTables(masters: [7: [UInt8](repeating: 7, count: 32)]), hashKey: [UInt8](repeating: 8, count: 32))
        let secret = [UInt8](repeating: 9, count: 32)
        let key = try #require(secrets.tables.key(table: 7, index: 42))
        let statement = FleetStatement(
            arc: try #require(ExtensionArc(issued)), serial: "CAM-1", manufacturer: "m", validationEndpoint: "",
            sealedSecret: try #require(SealedSecret.seal(secret, with: key)), table: 7, keyIndex: 42, family: "")
        let made = try await set.issue(
            try order(publicKey: SigningKey.random(.p256).publicKey, fleet: statement), at: Self.now)
        let der = made.certificate.der
        let own = try #require(ExtensionArc("1.3.6.1.4.1.32473.1"))
        #expect(set.deviceSecret(in: der, arc: own, secrets) == secret)
        // A renewal of a fleet that names no arc reads what was issued without one, and not what others may mean by theirs.
        #expect(set.deviceSecret(in: der, arc: .fleet, secrets) == (issued == "\(own)" ? nil : secret))
    }

    @Test("A start before the chain's validity is the beginning of the validity")
    func earlyStart() async throws {
        let ca = try await TestCA(signsFrom: .distantPast)
        #expect(ca.issuing.start == ca.issuing.chain.validity.notBefore)
        #expect(try ca.set.authorities(at: Self.now.adding(milliseconds: -1000)).map(\.state) == [.next])
    }

    @Test("Two CAs with one name or one key are refused")
    func doubles() async throws {
        let first = try await TestCA(name: "a")
        let named = try await TestCA(name: "a")
        #expect(throws: AuthorityChainError.self) { try AuthoritySet([first.issuing, named.issuing]) }
        let again = try IssuingAuthority(name: "b", chain: first.issuing.chain, signer: first.issuing.signer)
        #expect(throws: AuthorityChainError.self) { try AuthoritySet([first.issuing, again]) }
    }

    /// A chain with one change, made by the simulator's writer of certificates.
    private struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sentence: String
        let apply: @Sendable (inout CertificateBuilder, inout CertificateBuilder) -> Void
        init(
            _ name: String, _ sentence: String,
            _ apply: @escaping @Sendable (_ issuing: inout CertificateBuilder, _ root: inout CertificateBuilder) -> Void
        ) { (testDescription, self.sentence, self.apply) = (name, sentence, apply) }
    }

    private static let (rootKey, issuingKey) = (
        TestSigningKey(.p256, seed: "ca", label: "root"), TestSigningKey(.p384, seed: "ca", label: "issuing")
    )

    private static func chain(_ change: (inout CertificateBuilder, inout CertificateBuilder) -> Void) throws -> [[UInt8]] {
        let (rootName, issuingName) = (
            CertificateBuilder.Name(commonName: "Root"), CertificateBuilder.Name(commonName: "Issuing")
        )
        let usage: KeyUsageBits = [.keyCertSign, .cRLSign]
        var root = CertificateBuilder(
            serial: [1], algorithm: .ecdsaWithSHA256, issuer: rootName, notBefore: now,
            notAfter: now.adding(milliseconds: 1000 * day),
            subject: rootName, subjectPublicKeyInfo: rootKey.subjectPublicKeyInfo,
            extensions: [.basicConstraints(ca: true), .keyUsage(usage), .subjectKeyIdentifier(rootKey)])
        var issuing = CertificateBuilder(
            serial: [2], algorithm: .ecdsaWithSHA256, issuer: rootName, notBefore: now,
            notAfter: now.adding(milliseconds: 500 * day),
            subject: issuingName, subjectPublicKeyInfo: issuingKey.subjectPublicKeyInfo,
            extensions: [
                .basicConstraints(ca: true, pathLength: 0), .keyUsage(usage), .subjectKeyIdentifier(issuingKey),
                .authorityKeyIdentifier(rootKey),
            ])
        change(&issuing, &root)
        return [try issuing.signed(by: rootKey), try root.signed(by: rootKey)]
    }

    @Test("A chain that was made elsewhere is taken")
    func foreign() throws {
        let chain = try AuthorityChain(try Self.chain { _, _ in })
        #expect(chain.validity.notAfter == Self.now.adding(milliseconds: 500 * Self.day))
        #expect(chain.encoded.count == 2)
    }

    private static let changes: [Change] = [
        Change("no CA", "is not a CA") { issuing, _ in issuing[ExtensionName.basicConstraints] = .basicConstraints(ca: false) },
        Change("no constraints", "is not a CA") { issuing, _ in issuing[ExtensionName.basicConstraints] = nil },
        Change("no cRLSign", "lacks the key usage keyCertSign or cRLSign") { issuing, _ in
            issuing[ExtensionName.keyUsage] = .keyUsage(.keyCertSign)
        },
        Change("no keyCertSign", "lacks the key usage keyCertSign or cRLSign") { issuing, _ in
            issuing[ExtensionName.keyUsage] = .keyUsage(.cRLSign)
        },
        Change("no usage", "lacks the key usage keyCertSign or cRLSign") { issuing, _ in issuing[ExtensionName.keyUsage] = nil
        },
        Change("root without keyCertSign", "lacks the key usage keyCertSign") { _, root in
            root[ExtensionName.keyUsage] = .keyUsage(.cRLSign)
        },
        Change("path length", "allows fewer CAs below it") { _, root in
            root[ExtensionName.basicConstraints] = .basicConstraints(ca: true, pathLength: 0)
        },
        Change("another issuer", "is not the next certificate's subject") { issuing, _ in
            issuing.issuer = CertificateBuilder.Name(commonName: "Other")
        },
        Change("another key", "the signature on") { _, root in
            root.subjectPublicKeyInfo = TestSigningKey(.p256, seed: "ca", label: "other").subjectPublicKeyInfo
        },
        Change("another key identifier", "authority key identifier") { issuing, _ in
            issuing[ExtensionName.authorityKeyIdentifier] = .authorityKeyIdentifier(issuingKey)
        },
        Change("no self-signed root", "does not end with a self-signed root") { _, root in
            root.issuer = CertificateBuilder.Name(commonName: "Above")
        },
        Change("never valid together", "at no time all valid") { issuing, root in
            root.notAfter = now.adding(milliseconds: day)
            issuing.notBefore = now.adding(milliseconds: 2 * day)
        },
        Change("ends before it begins", "ends before it begins") { issuing, _ in
            issuing.notAfter = issuing.notBefore.adding(milliseconds: -1000)
        },
        Change("unknown critical extension", "critical extension") { issuing, _ in
            issuing.extensions.append(.init("2.5.29.30", critical: true, [0x30, 0]))
        },
        Change("no subject", "no subject") { issuing, _ in issuing.subject = CertificateBuilder.Name([]) },
    ]

    @Test("A chain that does not check out is refused with a sentence", arguments: 0..<changes.count)
    func refused(_ index: Int) throws {
        let change = Self.changes[index]
        let error = #expect(throws: AuthorityChainError.self, "\(change)") {
            try AuthorityChain(try Self.chain { change.apply(&$0, &$1) })
        }
        #expect(error?.description.contains(change.sentence) == true, "\(change.testDescription): \(String(describing: error))")
    }

    @Test("No certificates, too many, garbage, and an issuing CA without its root are refused")
    func incomplete() throws {
        let chain = try Self.chain { _, _ in }
        #expect(throws: AuthorityChainError.self) { try AuthorityChain([]) }
        #expect(throws: AuthorityChainError.self) { try AuthorityChain([chain[0]]) }
        #expect(throws: AuthorityChainError.self) { try AuthorityChain([[1, 2, 3]]) }
        #expect(throws: AuthorityChainError.self) { try AuthorityChain(Array(repeating: chain[1], count: 9)) }
        #expect(throws: AuthorityChainError.self) { try AuthorityChain(chain.reversed()) }
    }

    @Test("A key that is not the first certificate's is refused")
    func foreignKey() async throws {
        let ca = try await TestCA()
        #expect(throws: AuthorityChainError.self) {
            try IssuingAuthority(name: "a", chain: ca.issuing.chain, signer: FileSigner(SigningKey.random(.p256)))
        }
        #expect(throws: AuthorityChainError.self) {
            try IssuingAuthority(name: "a", chain: ca.issuing.chain, signer: ca.root.signer)
        }
    }
}
