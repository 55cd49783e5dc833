import AssayCore
import AssayEncoding
import AssaySigning
import AssayTesting
import Foundation
import Testing

@Suite("Key files")
struct KeyFileTests {
    /// Few iterations: their number is tested by one test.
    private static let iterations = 1000

    private static func passphrase(_ text: String = "correct horse") throws -> Passphrase {
        try #require(Passphrase(Array(text.utf8)))
    }

    @Test(
        "OpenSSL opens a written key with its passphrase, and finds the same public key",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"), arguments: SigningAlgorithm.allCases)
    func written(_ algorithm: SigningAlgorithm) throws {
        let openSSL = try OpenSSLFolder()
        let key = SigningKey.random(algorithm)
        try openSSL.write("pass", "correct horse\n")
        try openSSL.write(
            "ca.key", try SigningKeyFile.text(key, passphrase: try Self.passphrase(), iterations: Self.iterations))
        try openSSL.run("pkey -in ca.key -passin file:pass -pubout -outform DER -out public.der")
        #expect(try openSSL.read("public.der") == key.publicKey)
        #expect(try !openSSL.attempt(["pkey", "-in", "ca.key", "-passin", "pass:wrong", "-noout"]).succeeded)
        let back = try SigningKeyFile.read(openSSL.file("ca.key"), passphrase: try Passphrase.read(openSSL.file("pass")))
        #expect(back.publicKey == key.publicKey)
    }

    @Test("A key is written with 600,000 iterations of PBKDF2 and HMAC-SHA-256, and AES-256-CBC")
    func parameters() throws {
        let text = try SigningKeyFile.text(SigningKey.random(.p256), passphrase: try Self.passphrase())
        let der = try #require(try PEM.decode(text, label: "ENCRYPTED PRIVATE KEY").first)
        #expect(der.firstRange(of: DERWriter.integer(600_000)) != nil)
        #expect(der.firstRange(of: DERWriter.objectIdentifier("1.2.840.113549.2.9")) != nil)
        #expect(der.firstRange(of: DERWriter.objectIdentifier("2.16.840.1.101.3.4.1.42")) != nil)
        let key = try SigningKeyFile.key(pem: text, passphrase: try Self.passphrase(), allowsPlain: false)
        #expect(key.algorithm == .p256)
    }

    @Test(
        "Keys that OpenSSL encrypts are read",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"),
        arguments: [
            "-v2 aes-256-cbc -v2prf hmacWithSHA256", "-v2 aes-256-cbc -v2prf hmacWithSHA384",
            "-v2 aes-192-cbc -v2prf hmacWithSHA512", "-v2 aes-128-cbc -v2prf hmacWithSHA1",
            "-v2 aes-256-cbc -iter 100000", "-v2 aes-256-cbc -scrypt", "-scrypt -scrypt_N 4096 -scrypt_r 4 -scrypt_p 2",
        ], SigningAlgorithm.allCases)
    func read(_ options: String, _ algorithm: SigningAlgorithm) throws {
        let openSSL = try OpenSSLFolder()
        try openSSL.write("pass", "correct horse\n")
        try openSSL.run(
            algorithm == .ed25519
                ? "genpkey -algorithm ED25519 -out plain.key"
                : "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:\(algorithm.name) -out plain.key")
        try openSSL.run("pkey -in plain.key -pubout -outform DER -out public.der")
        try openSSL.run("pkcs8 -topk8 -in plain.key -passout file:pass -out ca.key \(options)")
        let key = try SigningKeyFile.read(openSSL.file("ca.key"), passphrase: try Passphrase.read(openSSL.file("pass")))
        #expect(try key.publicKey == openSSL.read("public.der"))
        #expect(key.algorithm == algorithm)
        #expect(throws: CredentialFileError(openSSL.file("ca.key"), SigningKeyError.wrongPassphrase.description)) {
            try SigningKeyFile.read(openSSL.file("ca.key"), passphrase: try Self.passphrase("wrong"))
        }
    }

    @Test(
        "A key of openssl genpkey -aes256 is read", .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"))
    func genpkey() throws {
        let openSSL = try OpenSSLFolder()
        try openSSL.write("pass", "correct horse")
        try openSSL.run(
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-384 -aes256 -pass file:pass -out ca.key")
        #expect(
            try SigningKeyFile.read(openSSL.file("ca.key"), passphrase: try Self.passphrase()).algorithm == .p384)
    }

    @Test(
        "Plain keys, PKCS#8 and SEC1, are read only if the caller allows it",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"),
        arguments: ["genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", "ecparam -name prime256v1 -genkey"])
    func plain(_ command: String) throws {
        let openSSL = try OpenSSLFolder()
        try openSSL.run(command + " -out ca.key")
        try openSSL.run("pkey -in ca.key -pubout -outform DER -out public.der")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: openSSL.file("ca.key"))
        #expect(throws: CredentialFileError(openSSL.file("ca.key"), SigningKeyError.notEncrypted.description)) {
            try SigningKeyFile.read(openSSL.file("ca.key"), passphrase: nil)
        }
        let key = try SigningKeyFile.read(openSSL.file("ca.key"), passphrase: nil, allowsPlain: true)
        #expect(try key.publicKey == openSSL.read("public.der"))
    }

    @Test(
        "Other keys and other encryptions are refused by name",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"),
        arguments: [
            ("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048", "is not a key of P-256, Ed25519 or P-384"),
            ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-521", "is not a key of P-256, Ed25519 or P-384"),
            ("genpkey -algorithm ED448", "is not a key of P-256, Ed25519 or P-384"),
            ("genpkey -algorithm X25519", "is not a key of P-256, Ed25519 or P-384"),
            ("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -des3 -pass pass:x", "cannot be decrypted: its cipher is"),
            ("ecparam -name prime256v1 -genkey", ""),
        ])
    func refused(_ command: String, _ problem: String) throws {
        let openSSL = try OpenSSLFolder()
        try openSSL.run(command + " -out ca.key")
        if problem.isEmpty {
            try openSSL.run("ec -in ca.key -aes256 -passout pass:x -out old.key")
            #expect(throws: SigningKeyError.self) {
                try SigningKeyFile.key(
                    pem: String(decoding: try openSSL.read("old.key"), as: UTF8.self), passphrase: try Self.passphrase(),
                    allowsPlain: true)
            }
            return
        }
        let text = String(decoding: try openSSL.read("ca.key"), as: UTF8.self)
        let error = #expect(throws: SigningKeyError.self) {
            try SigningKeyFile.key(pem: text, passphrase: try Self.passphrase("x"), allowsPlain: true)
        }
        #expect(error?.description.hasPrefix(problem) == true)
    }

    @Test("Excessive iterations and memory are refused before any work is done")
    func bounds() throws {
        let text = try SigningKeyFile.text(
            SigningKey.random(.p256), passphrase: try Self.passphrase(), iterations: Self.iterations)
        let der = try #require(try PEM.decode(text, label: "ENCRYPTED PRIVATE KEY").first)
        let count = try #require(der.firstRange(of: DERWriter.integer(UInt64(Self.iterations))))
        #expect(count.count == 4)
        // 0x7FFF iterations have as many octets; more need another length of the parameters.
        var more = der
        more.replaceSubrange(count, with: DERWriter.integer(0x7FFF))
        #expect(throws: SigningKeyError.wrongPassphrase) {
            try PasswordEncryption.open(more, passphrase: Array("correct horse".utf8))
        }
        func sealed(_ function: [UInt8]) -> [UInt8] {
            let cipher = DERWriter.sequence([
                DERWriter.objectIdentifier("2.16.840.1.101.3.4.1.42"),
                DERWriter.octetString([UInt8](repeating: 0, count: 16)),
            ])
            let algorithm = DERWriter.sequence([
                DERWriter.objectIdentifier("1.2.840.113549.1.5.13"), DERWriter.sequence([function, cipher]),
            ])
            return DERWriter.sequence([algorithm, DERWriter.octetString([UInt8](repeating: 0, count: 160))])
        }
        func pbkdf2(_ iterations: UInt64) -> [UInt8] {
            DERWriter.sequence([
                DERWriter.objectIdentifier("1.2.840.113549.1.5.12"),
                DERWriter.sequence([DERWriter.octetString([1, 2]), DERWriter.integer(iterations)]),
            ])
        }
        func scrypt(_ cost: UInt64, _ blockSize: UInt64, _ parallelism: UInt64) -> [UInt8] {
            DERWriter.sequence([
                DERWriter.objectIdentifier("1.3.6.1.4.1.11591.4.11"),
                DERWriter.sequence(
                    [DERWriter.octetString([1, 2])] + [cost, blockSize, parallelism].map { DERWriter.integer($0) }),
            ])
        }
        let excessive = [
            pbkdf2(10_000_001), pbkdf2(UInt64(Int.max)), pbkdf2(0), scrypt(1 << 22, 8, 1), scrypt(1 << 40, 8, 1),
            scrypt(1 << 14, 1 << 30, 1), scrypt(1 << 14, 8, 1 << 30), scrypt(3, 8, 1), scrypt(0, 8, 1),
        ]
        for function in excessive {
            let error = #expect(throws: SigningKeyError.self) {
                try PasswordEncryption.open(sealed(function), passphrase: [1])
            }
            guard case .unsupportedEncryption = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(throws: SigningKeyError.wrongPassphrase) {
            try PasswordEncryption.open(sealed(scrypt(16, 8, 1)), passphrase: [1])
        }
    }

    @Test("The private key of RFC 8410 §10.3 is read, with and without the public key beside it, and written as the RFC has it")
    func edwards() throws {
        let v1 = try #require(Base64.standard.decode("MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC"))
        let v2 = try #require(
            Base64.standard.decode(
                "MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhCoB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
            ))
        let publicKey = try #require(
            Base64.standard.decode("MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="))
        for der in [v1, v2] {
            let key = try SigningKey(pkcs8: der)
            #expect(key.algorithm == .ed25519 && key.publicKey == publicKey && key.pkcs8 == v1)
        }
        var foreign = v2
        foreign[foreign.count - 1] ^= 1
        #expect(throws: SigningKeyError.self) { try SigningKey(pkcs8: foreign) }
        // An AlgorithmIdentifier with parameters (§3: they are absent).
        let parameters = DERWriter.sequence([
            DERWriter.integer(0), DERWriter.sequence([DERWriter.objectIdentifier("1.3.101.112"), DERWriter.null]),
            DERWriter.octetString(DERWriter.octetString([UInt8](repeating: 1, count: 32))),
        ])
        #expect(throws: SigningKeyError.self) { try SigningKey(pkcs8: parameters) }
    }

    @Test("A use that allows some kinds of keys refuses the others by name")
    func kinds() throws {
        let folder = try OpenSSLFolder()
        let text = try SigningKeyFile.text(
            SigningKey.random(.ed25519), passphrase: try Self.passphrase(), iterations: Self.iterations)
        let path = try folder.write("edwards.key", text)
        #expect(throws: CredentialFileError(path, "is not a key of P-256 or P-384")) {
            try SigningKeyFile.read(path, passphrase: try Self.passphrase(), of: [.p256, .p384])
        }
        #expect(try SigningKeyFile.read(path, passphrase: try Self.passphrase(), of: [.ed25519]).algorithm == .ed25519)
    }

    @Test(
        "New files of a key have mode 0600, OpenSSL opens them, and no file is replaced",
        .enabled(if: OpenSSLFolder.isAvailable, "there is no openssl here"), arguments: SigningAlgorithm.allCases)
    func newFiles(_ algorithm: SigningAlgorithm) throws {
        let openSSL = try OpenSSLFolder()
        let files = NewKeyFiles(key: openSSL.file("r.key"), passphrase: openSSL.file("r.passphrase"))
        let key = SigningKey.random(algorithm)
        #expect(try files.write(key, iterations: Self.iterations))
        for path in [files.key, files.passphrase] {
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        }
        try openSSL.run("pkey -in r.key -passin file:r.passphrase -pubout -out r.pub.pem")
        #expect(try PublicKeyFile.read(openSSL.file("r.pub.pem")) == key.publicKey)
        #expect(try String(decoding: openSSL.read("r.pub.pem"), as: UTF8.self) == PublicKeyFile.text(key.publicKey))

        let before = try openSSL.read("r.key")
        #expect(throws: CredentialFileError(files.key, "exists already, and is not replaced")) {
            try files.write(SigningKey.random(algorithm), iterations: Self.iterations)
        }
        #expect(try openSSL.read("r.key") == before)
        // A passphrase that is there is used, and stays after a failure.
        let second = NewKeyFiles(key: openSSL.file("s.key"), passphrase: files.passphrase)
        #expect(try !second.write(key, iterations: Self.iterations))
        try openSSL.run("pkey -in s.key -passin file:r.passphrase -noout")
        // One that was made for a key that could not be written does not.
        let third = NewKeyFiles(key: files.key, passphrase: openSSL.file("t.passphrase"))
        #expect(throws: CredentialFileError.self) { try third.write(key, iterations: Self.iterations) }
        #expect(!FileManager.default.fileExists(atPath: third.passphrase))
    }

    @Test("A file of a public key has one in PEM, and nothing else")
    func publicKeys() throws {
        let folder = try OpenSSLFolder()
        let key = SigningKey.random(.p256)
        let text = PublicKeyFile.text(key.publicKey)
        #expect(try PublicKeyFile.read(folder.write("a.pem", text, mode: 0o644)) == key.publicKey)
        let secret = try SigningKeyFile.text(key, passphrase: try Self.passphrase(), iterations: Self.iterations)
        for (name, text) in [("b.pem", text + text), ("c.pem", ""), ("d.pem", secret), ("e.pem", "x" + text)] {
            let path = try folder.write(name, text)
            #expect(throws: CredentialFileError(path, "is no public key in PEM")) { try PublicKeyFile.read(path) }
        }
        #expect(throws: CredentialFileError.self) { try PublicKeyFile.read(folder.file("none.pem")) }
    }

    @Test(
        "Every strict prefix of an encrypted key is refused, and so is every changed byte, where the file has the public key too",
        arguments: SigningAlgorithm.allCases)
    func mutants(_ algorithm: SigningAlgorithm) throws {
        let key = SigningKey.random(algorithm)
        // Any 32 bytes are a private key of Ed25519, and RFC 8410 has no public key beside them to compare with.
        let isCompared = algorithm != .ed25519
        let sealed = try PasswordEncryption.seal(key.pkcs8, passphrase: Array("x".utf8), iterations: 1)
        for length in sealed.indices {
            #expect(throws: SigningKeyError.self) {
                try SigningKey(pkcs8: try PasswordEncryption.open(Array(sealed[..<length]), passphrase: Array("x".utf8)))
            }
        }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 0x01
            let read = try? SigningKey(pkcs8: try PasswordEncryption.open(changed, passphrase: Array("x".utf8)))
            #expect(!isCompared || read == nil || read?.publicKey == key.publicKey, "byte \(index)")
        }
        for index in key.pkcs8.indices {
            var changed = key.pkcs8
            changed[index] ^= 0x01
            let read = try? SigningKey(pkcs8: changed)
            #expect(!isCompared || read == nil || read?.publicKey == key.publicKey, "byte \(index)")
        }
    }

    @Test("A key or passphrase that others can read, or that is missing, is refused with its path")
    func permissions() throws {
        let folder = try OpenSSLFolder()
        let text = try SigningKeyFile.text(
            SigningKey.random(.p256), passphrase: try Self.passphrase(), iterations: Self.iterations)
        let open = try folder.write("open.key", text, mode: 0o644)
        #expect(throws: CredentialFileError(open, "can be read by others; its mode must be 0600")) {
            try SigningKeyFile.read(open, passphrase: try Self.passphrase())
        }
        let group = try folder.write("pass", "x\n", mode: 0o640)
        #expect(throws: CredentialFileError(group, "can be read by others; its mode must be 0600")) {
            try Passphrase.read(group)
        }
        #expect(throws: CredentialFileError(folder.file("none"), "is missing")) { try Passphrase.read(folder.file("none")) }
        #expect(throws: CredentialFileError(folder.file("none"), "is missing")) {
            try SigningKeyFile.read(folder.file("none"), passphrase: try Self.passphrase())
        }
        let long = try folder.write("long.key", [UInt8](repeating: 0x2D, count: 20_000))
        #expect(throws: CredentialFileError(long, "is no private key in PEM")) {
            try SigningKeyFile.read(long, passphrase: try Self.passphrase())
        }
        let sealed = try folder.write("sealed.key", text)
        #expect(throws: CredentialFileError(sealed, SigningKeyError.encrypted.description)) {
            try SigningKeyFile.read(sealed, passphrase: nil, allowsPlain: true)
        }
    }

    @Test("A passphrase is one line of 1 to 1023 bytes, and one line feed at its end is no part of it")
    func passphrases() throws {
        let folder = try OpenSSLFolder()
        #expect(try Passphrase.read(folder.write("a", "x y\n")).line == Array("x y\n".utf8))
        #expect(try Passphrase.read(folder.write("b", "x")).line == Array("x\n".utf8))
        let longest = String(repeating: "x", count: 1023)
        #expect(try Passphrase.read(folder.write("c", longest + "\n")).line.count == 1024)
        for (name, text) in [("d", ""), ("e", "\n"), ("f", "x\n\n"), ("g", "x\ny\n"), ("h", longest + "x")] {
            #expect(throws: CredentialFileError.self) { try Passphrase.read(folder.write(name, text)) }
        }
        let random = Passphrase.random().line
        #expect(random.count == 44 && random != Passphrase.random().line)
    }
}
