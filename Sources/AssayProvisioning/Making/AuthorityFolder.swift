import AssayCertificates
package import AssayCore
import AssayEncoding
import AssayFiles
package import AssaySigning
import Foundation

/// A folder with the files of CAs, as `assay ca` makes them: for each CA `NAME.pem` (its certificate and those above it), `NAME.key` (its
/// encrypted private key) and `NAME.passphrase`. A CA whose key is in a token has the first only. The root's name is `root`, those of issuing CAs are `issuing-1`, `issuing-2` and so on.
package struct AuthorityFolder: Sendable {
    package static let rootName = "root"

    package let path: String

    package init(_ path: String) { self.path = path }

    /// The files of a CA.
    package func files(of name: String) -> AuthorityFiles {
        AuthorityFiles(
            certificate: "\(path)/\(name).pem", key: "\(path)/\(name).key", passphrase: "\(path)/\(name).passphrase")
    }

    /// The number of the next issuing CA: one more than the highest that has a file.
    package var nextNumber: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        let numbers = names.compactMap { name -> Int? in
            guard name.hasPrefix("issuing-") else { return nil }
            return Int(name.dropFirst("issuing-".count).prefix { $0 != "." })
        }
        return (numbers.max() ?? 0) + 1
    }

    /// The certificate files, in the order of their names.
    package var certificateFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".pem") && !$0.hasSuffix(".crl.pem") }.sorted().map { "\(path)/\($0)" }
    }

    /// Throws if a CA of the folder has the key: two CAs with one key have one revocation list.
    private func requireAbsent(_ chain: AuthorityChain) throws(CredentialFileError) {
        for file in certificateFiles {
            guard let there = try? AuthorityChain.read(file), there.issuer.publicKey.der == chain.issuer.publicKey.der else {
                continue
            }
            throw CredentialFileError(file, "is this CA already: it was imported or made before, and nothing was written")
        }
    }

    /// Makes the folder if it is missing: mode 0700. The other methods call it once everything else is checked, so that a failure leaves no
    /// folder.
    package func make() throws(CredentialFileError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CredentialFileError(path, "cannot be made")
        }
    }
}

/// The paths of one CA's files.
package struct AuthorityFiles: Hashable, Sendable {
    /// PEM, mode 0644.
    package var certificate: String
    /// Mode 0600.
    package var key: String
    /// Mode 0600.
    package var passphrase: String

    /// Throws if a certificate or a key stands there already. A passphrase may: it is used.
    package func requireAbsent() throws(CredentialFileError) {
        for path in [certificate, key] where FileManager.default.fileExists(atPath: path) {
            throw CredentialFileError(path, "exists already, and is not replaced")
        }
    }

    /// Opens the private key with the passphrase.
    package func signer() throws(CredentialFileError) -> FileSigner {
        FileSigner(
            try SigningKeyFile.read(key, passphrase: try Passphrase.read(passphrase), of: SigningAlgorithm.ofAuthorities))
    }

    /// Writes a CA: passphrase (a random one unless the file exists), key, certificates.
    ///
    /// - Returns: whether the passphrase was made.
    package func write(
        _ authority: SigningKey, _ chain: AuthorityChain, iterations: Int = PasswordEncryption.iterations
    ) throws(CredentialFileError) -> Bool {
        try requireAbsent()
        let isNew = try NewKeyFiles(key: key, passphrase: passphrase).write(authority, iterations: iterations)
        do throws(CredentialFileError) { try write(chain) } catch {
            // Half a CA would be in the way of the next attempt.
            for path in [key] + (isNew ? [passphrase] : []) { NewFile.remove(path) }
            throw error
        }
        return isNew
    }

    /// Writes the certificates: all that a CA has in files whose key is in a token.
    package func write(_ chain: AuthorityChain) throws(CredentialFileError) {
        let pem = chain.encoded.map { PEM.encode($0) }.joined()
        try Self.create(certificate, Array(pem.utf8), mode: 0o644)
    }

    private static func create(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(CredentialFileError) {
        do throws(NewFileError) { try NewFile.create(path, bytes, mode: mode) } catch {
            throw CredentialFileError(path, error.description)
        }
    }
}

extension AuthorityFolder {
    /// The name from which a root made by `initialize` was named: its common name without " Root CA".
    package static func planName(of root: AuthorityFiles) throws(CredentialFileError) -> String {
        let names = try AuthorityChain.read(root.certificate).issuer.subject.values(of: OID(2, 5, 4, 3))
        guard let name = names.last.flatMap({ String(validating: $0, as: UTF8.self) }) else { return AuthorityPlan().name }
        return name.hasSuffix(" Root CA") ? String(name.dropLast(" Root CA".count)) : name
    }

    /// Makes a root and the first issuing CA below it. Throws if files of either exist.
    ///
    /// - Parameters:
    ///   - place: where the issuing CA's key is made; `nil`: in a file.
    ///   - now: their certificates begin then.
    /// - Returns: the two, the root first.
    package func initialize(
        _ plan: AuthorityPlan, root: AuthorityFiles, issuing: AuthorityFiles, in place: NewTokenKey? = nil, at now: Timestamp,
        iterations: Int = PasswordEncryption.iterations
    ) async throws(CredentialFileError) -> [MadeAuthority] {
        try root.requireAbsent()
        try issuing.requireAbsent()
        let key = SigningKey.random(plan.curve.algorithm)
        let signer = FileSigner(key)
        let chain: AuthorityChain
        do {
            chain = try AuthorityChain([try await plan.root(signer, at: now)])
        } catch {
            throw CredentialFileError(root.certificate, "cannot be made: \(error)")
        }
        let authority = try Self.authority(Self.rootName, chain, signer, root)
        let below = try await Self.made(1, plan, below: authority, issuing, in: place, at: now)
        // The issuing CA is whole before anything is written.
        do throws(CredentialFileError) {
            try make()
            let isNew = try root.write(key, chain, iterations: iterations)
            return [
                MadeAuthority(files: root, chain: chain, madePassphrase: isNew),
                try below.written(to: issuing, iterations: iterations),
            ]
        } catch {
            throw below.left(by: error)
        }
    }

    /// Makes the next issuing CA below a root whose private key is at hand.
    ///
    /// - Parameter place: where its key is made; `nil`: in a file.
    package func next(
        _ plan: AuthorityPlan, root: AuthorityFiles, issuing: AuthorityFiles, in place: NewTokenKey? = nil, at now: Timestamp,
        iterations: Int = PasswordEncryption.iterations
    ) async throws(CredentialFileError) -> MadeAuthority {
        try issuing.requireAbsent()
        let chain = try AuthorityChain.read(root.certificate)
        let authority = try Self.authority(Self.rootName, chain, try root.signer(), root)
        let below = try await Self.made(nextNumber, plan, below: authority, issuing, in: place, at: now)
        do throws(CredentialFileError) { return try below.written(to: issuing, iterations: iterations) } catch {
            throw below.left(by: error)
        }
    }

    /// Takes over a CA that was made elsewhere: its chain and key are checked, and written here with the key encrypted under this folder's
    /// passphrase.
    package func takeOver(
        chainFile: String, keyFile: String, passphraseFile: String?, allowsPlainKey: Bool, as files: AuthorityFiles,
        iterations: Int = PasswordEncryption.iterations
    ) throws(CredentialFileError) -> MadeAuthority {
        let chain = try AuthorityChain.read(chainFile)
        try requireAbsent(chain)
        try files.requireAbsent()
        var passphrase: Passphrase?
        if let passphraseFile { passphrase = try Passphrase.read(passphraseFile) }
        let key = try SigningKeyFile.read(
            keyFile, passphrase: passphrase, allowsPlain: allowsPlainKey, of: SigningAlgorithm.ofAuthorities)
        do throws(AuthorityChainError) {
            _ = try IssuingAuthority(name: "imported", chain: chain, signer: FileSigner(key))
        } catch {
            throw CredentialFileError(keyFile, "does not belong to \(chainFile): \(error.description)")
        }
        try make()
        let isNew = try files.write(key, chain, iterations: iterations)
        return MadeAuthority(files: files, chain: chain, madePassphrase: isNew)
    }

    /// Takes over a CA that was made elsewhere and whose key is in a token: its chain is checked and written here, and the key must be
    /// that of its first certificate.
    ///
    /// - Parameter keyLabel: `nil`: that of the token's key with the certificate's public key.
    package func takeOver(
        chainFile: String, from token: SigningToken, keyLabel: String?, as files: AuthorityFiles
    ) async throws(CredentialFileError) -> MadeAuthority {
        let chain = try AuthorityChain.read(chainFile)
        try requireAbsent(chain)
        try files.requireAbsent()
        let key = try await token.key(of: Array(chain.issuer.publicKey.der), label: keyLabel)
        try make()
        try files.write(chain)
        return MadeAuthority(files: files, chain: chain, tokenKey: key)
    }

    private static func authority(
        _ name: String, _ chain: AuthorityChain, _ signer: any Signer, _ files: AuthorityFiles
    ) throws(CredentialFileError) -> IssuingAuthority {
        do throws(AuthorityChainError) {
            return try IssuingAuthority(name: name, chain: chain, signer: signer)
        } catch {
            throw CredentialFileError(files.key, "does not belong to \(files.certificate): \(error.description)")
        }
    }

    private static func made(
        _ number: Int, _ plan: AuthorityPlan, below root: IssuingAuthority, _ files: AuthorityFiles, in place: NewTokenKey?,
        at now: Timestamp
    ) async throws(CredentialFileError) -> UnwrittenAuthority {
        func chain(_ signer: any Signer) async throws(CredentialFileError) -> AuthorityChain {
            do {
                let der = try await plan.issuing(number, publicKey: signer, below: root, at: now)
                return try AuthorityChain([der] + root.chain.encoded)
            } catch {
                throw CredentialFileError(files.certificate, "cannot be made: \(error)")
            }
        }
        let key = SigningKey.random(plan.curve.algorithm)
        // Before a key is made that stays in the token: whether a certificate can be.
        let withFile = try await chain(FileSigner(key))
        guard let place else { return UnwrittenAuthority(key: .file(key), chain: withFile) }
        let made = try await place.token.makeKey(
            plan.curve.algorithm, label: place.label,
            ifTaken: "; name another one with --key-label, or take over the CA of that key with 'assay ca import'")
        return UnwrittenAuthority(key: .token(made), chain: try await chain(made.signer))
    }
}
