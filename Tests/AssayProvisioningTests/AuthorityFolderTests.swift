import AssayCertificates
import AssayCore
import AssayEncoding
import AssayProvisioning
import AssaySigning
import AssayTesting
import Foundation
import Testing

@Suite("Folders of CAs")
struct AuthorityFolderTests {
    private static let (now, iterations) = (TestCA.now, 1000)

    private struct Made {
        let place: OpenSSLFolder
        let folder: AuthorityFolder
        let root: AuthorityFiles
        let made: [MadeAuthority]
    }

    private static func make(_ curve: AuthorityCurve = .p256) async throws -> Made {
        let place = try OpenSSLFolder()
        let folder = AuthorityFolder(place.file("ca"))
        try folder.make()
        var plan = AuthorityPlan()
        (plan.curve, plan.organization) = (curve, "Example")
        let root = folder.files(of: AuthorityFolder.rootName)
        let made = try await folder.initialize(
            plan, root: root, issuing: folder.files(of: "issuing-1"), at: now, iterations: iterations)
        return Made(place: place, folder: folder, root: root, made: made)
    }

    private static func settings(_ files: AuthorityFiles, name: String = "a", signsFrom: Timestamp? = nil) -> AuthoritySettings
    {
        AuthoritySettings(
            name: name, certificateFile: files.certificate, key: .file(files.key, passphraseFile: files.passphrase),
            signsFrom: signsFrom)
    }

    private static func noToken(
        _ settings: TokenKeySettings, _ publicKey: [UInt8]
    ) throws(CredentialFileError) -> any Signer {
        throw CredentialFileError(settings.module, "is not tested here")
    }

    @Test(
        "A new root and issuing CA are six files with their modes, which OpenSSL opens and verifies",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"), arguments: AuthorityCurve.allCases)
    func initialized(_ curve: AuthorityCurve) async throws {
        let new = try await Self.make(curve)
        let names = try FileManager.default.contentsOfDirectory(atPath: new.folder.path).sorted()
        #expect(
            names == [
                "issuing-1.key", "issuing-1.passphrase", "issuing-1.pem", "root.key", "root.passphrase", "root.pem",
            ])
        for name in names {
            let attributes = try FileManager.default.attributesOfItem(atPath: new.folder.path + "/" + name)
            #expect(attributes[.posixPermissions] as? Int == (name.hasSuffix(".pem") ? 0o644 : 0o600))
        }
        for name in ["root", "issuing-1"] {
            let key = try new.place.run("pkey -in ca/\(name).key -passin file:ca/\(name).passphrase -pubout")
            #expect(try new.place.run("x509 -in ca/\(name).pem -noout -pubkey") == key)
        }
        let time = String(Self.now.unixMilliseconds / 1000)
        try new.place.run("verify -x509_strict -no-CApath -attime \(time) -CAfile ca/root.pem ca/issuing-1.pem")
        let text = try new.place.run("x509 -in ca/issuing-1.pem -noout -text -nameopt oneline")
        for part in [
            "Subject: O = Example, CN = Assay Device Issuing CA 1", "Issuer: O = Example, CN = Assay Device Root CA",
            "CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign",
        ] { #expect(text.contains(part), "\(part)") }
        #expect(try new.place.run("x509 -in ca/root.pem -noout -text").contains("CA:TRUE, pathlen:1"))
        #expect(new.made.map(\.madePassphrase) == [true, true])
        let secrets = try ["root", "issuing-1"].map { try new.place.read("ca/\($0).passphrase") }
        #expect(secrets[0] != secrets[1])
    }

    @Test("Settings that name the files make a set that issues")
    func settings() async throws {
        let new = try await Self.make()
        let files = new.folder.files(of: "issuing-1")
        let set = try AuthoritySet([Self.settings(files)], openToken: Self.noToken)
        let issued = try await set.issue(try order(publicKey: SigningKey.random(.p256).publicKey), at: Self.now)
        #expect(issued.chain == new.made[1].chain.encoded)
    }

    @Test("Existing certificates and keys are never replaced, and existing passphrases are used")
    func existing() async throws {
        let new = try await Self.make()
        let files = new.folder.files(of: "issuing-1")
        let before = try new.place.read("ca/root.key")
        for issuing in [files, new.folder.files(of: "other")] {
            await #expect(throws: CredentialFileError(new.root.certificate, "exists already, and is not replaced")) {
                try await new.folder.initialize(
                    AuthorityPlan(), root: new.root, issuing: issuing, at: Self.now, iterations: Self.iterations)
            }
        }
        #expect(try new.place.read("ca/root.key") == before)
        #expect(!FileManager.default.fileExists(atPath: new.folder.files(of: "other").key))

        try new.place.write("pass", "chosen\n")
        var next = new.folder.files(of: "issuing-2")
        next.passphrase = new.place.file("pass")
        let made = try await new.folder.next(
            AuthorityPlan(), root: new.root, issuing: next, at: Self.now, iterations: Self.iterations)
        #expect(!made.madePassphrase)
        #expect(try new.place.read("pass") == Array("chosen\n".utf8))
        try new.place.run("pkey -in ca/issuing-2.key -passin pass:chosen -noout")
        #expect(throws: CredentialFileError.self) { try next.requireAbsent() }
    }

    @Test("The next issuing CA has the next number, stands below the same root, and takes over at its start")
    func next() async throws {
        let new = try await Self.make()
        #expect(new.folder.nextNumber == 2)
        #expect(try AuthorityFolder.planName(of: new.root) == "Assay Device")
        let later = Self.now.adding(milliseconds: TestCA.day)
        let files = new.folder.files(of: "issuing-2")
        let made = try await new.folder.next(
            AuthorityPlan(), root: new.root, issuing: files, at: later, iterations: Self.iterations)
        #expect(new.folder.nextNumber == 3)
        #expect("\(made.chain.issuer.subject)" == "CN=Assay Device Issuing CA 2")
        #expect(made.chain.encoded.last == new.made[0].chain.encoded.last)
        let start = later.adding(milliseconds: TestCA.day)
        let set = try AuthoritySet(
            [Self.settings(new.folder.files(of: "issuing-1")), Self.settings(files, name: "b", signsFrom: start)],
            openToken: Self.noToken)
        #expect(set.authorities(at: later).map(\.state) == [.signing, .next])
        #expect(set.authorities(at: start).map(\.state) == [.retiring, .signing])
    }

    @Test("An issuing CA that would outlive its root is not made, and nothing is written")
    func outliving() async throws {
        let new = try await Self.make()
        var plan = AuthorityPlan()
        plan.issuingValidity = 21 * 365 * TestCA.day
        let files = new.folder.files(of: "issuing-2")
        await #expect(throws: CredentialFileError.self) {
            try await new.folder.next(plan, root: new.root, issuing: files, at: Self.now, iterations: Self.iterations)
        }
        let other = AuthorityFolder(new.place.file("other"))
        try other.make()
        await #expect(throws: CredentialFileError.self) {
            try await other.initialize(
                plan, root: other.files(of: "root"), issuing: other.files(of: "issuing-1"), at: Self.now,
                iterations: Self.iterations)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.path).isEmpty)
        #expect(new.folder.nextNumber == 2)
    }

    @Test(
        "A CA that OpenSSL made is taken over, and its key is encrypted here",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"))
    func imported() throws {
        let place = try OpenSSLFolder()
        try place.write("pass", "theirs\n")
        try place.run(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-384 -nodes -keyout root.key -out root.pem -days 3000", "-subj",
            "/CN=Their Root")
        try place.run("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 -pass file:pass -out ca.key")
        try place.run("req -new -key ca.key -passin file:pass -out ca.csr", "-subj", "/O=Theirs/CN=Their Issuing CA")
        try place.write(
            "ca.ext",
            "basicConstraints=critical,CA:TRUE,pathlen:0\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n")
        try place.run("x509 -req -in ca.csr -CA root.pem -CAkey root.key -out ca.pem -days 1000 -extfile ca.ext")
        try place.write("chain.pem", try place.read("ca.pem") + place.read("root.pem"))
        for name in ["ca.key", "root.key"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.file(name))
        }
        let folder = AuthorityFolder(place.file("here"))
        try folder.make()
        func takeOver(_ chain: String, _ key: String, _ passphrase: String?, plain: Bool = false) throws -> MadeAuthority {
            try folder.takeOver(
                chainFile: place.file(chain), keyFile: place.file(key), passphraseFile: passphrase.map(place.file),
                allowsPlainKey: plain, as: folder.files(of: "theirs"), iterations: Self.iterations)
        }
        // The CA alone has no root; the root's key is another one, is plain, and the root lacks cRLSign.
        for (chain, key, passphrase, plain) in [
            ("ca.pem", "ca.key", "pass", false), ("chain.pem", "root.key", nil, true), ("chain.pem", "root.key", nil, false),
            ("root.pem", "root.key", nil, true), ("none.pem", "ca.key", "pass", false),
        ] as [(String, String, String?, Bool)] {
            #expect(throws: CredentialFileError.self) { try takeOver(chain, key, passphrase, plain: plain) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        _ = try takeOver("chain.pem", "ca.key", "pass")
        let files = folder.files(of: "theirs")
        #expect(try files.signer().publicKey == AuthorityChain.read(files.certificate).issuer.publicKey.der.map { $0 })
        try place.run("pkey -in here/theirs.key -passin file:here/theirs.passphrase -noout")
        #expect(try AuthoritySet([Self.settings(files)], openToken: Self.noToken).authorities(at: Self.now).count == 1)
    }

    @Test("A wrong passphrase, a foreign key, a missing or broken file: each error names the file")
    func errors() async throws {
        let new = try await Self.make()
        let (root, issuing) = (new.root, new.folder.files(of: "issuing-1"))
        func error(_ change: (inout AuthoritySettings) -> Void) -> CredentialFileError? {
            var settings = Self.settings(issuing)
            change(&settings)
            do throws(CredentialFileError) {
                _ = try AuthoritySet([settings], openToken: Self.noToken)
                return nil
            } catch { return error }
        }
        #expect(error { _ in } == nil)
        let wrong = error { $0.key = .file(issuing.key, passphraseFile: root.passphrase) }
        #expect(wrong == CredentialFileError(issuing.key, SigningKeyError.wrongPassphrase.description))
        let foreign = error { $0.key = .file(root.key, passphraseFile: root.passphrase) }
        #expect(foreign?.path == root.key && foreign?.problem.contains("does not belong to") == true)
        #expect(
            error { $0.key = .file(issuing.key, passphraseFile: nil) }
                == CredentialFileError(issuing.key, SigningKeyError.encrypted.description))
        #expect(
            error { $0.certificateFile = "/none.pem" }
                == CredentialFileError("/none.pem", "cannot be read: there is no such file"))
        let edwards = NewKeyFiles(key: new.place.file("edwards.key"), passphrase: issuing.passphrase)
        #expect(try !edwards.write(SigningKey.random(.ed25519), iterations: Self.iterations))
        #expect(
            error { $0.key = .file(edwards.key, passphraseFile: issuing.passphrase) }
                == CredentialFileError(edwards.key, "is not a key of P-256 or P-384"))
        let text = try new.place.write("text.pem", "not PEM")
        #expect(error { $0.certificateFile = text }?.path == text)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: issuing.key)
        #expect(error { _ in } == CredentialFileError(issuing.key, "can be read by others; its mode must be 0600"))
        let token = TokenKeySettings(module: "/m.so", tokenLabel: "t", keyLabel: "k", pinFile: "/pin")
        #expect(error { $0.key = .pkcs11(token) } == CredentialFileError("/m.so", "is not tested here"))
    }
}
