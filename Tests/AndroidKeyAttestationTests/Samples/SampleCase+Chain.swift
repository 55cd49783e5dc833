import AssayCore
import AssayEncoding
import AssaySimulator

@testable import AndroidKeyAttestation

/// The chain: its length, its bytes, its links, its root, and the places of its extensions.
extension SampleCase {
    private static let minute: Int64 = 60_000
    private static let day: Int64 = 86_400_000

    static let chains: [SampleCase] = shapes + editions + links + algorithms + extensions + dates

    private static let shapes: [SampleCase] = [
        SampleCase("a remotely provisioned chain", "accepted"),
        SampleCase("a remotely provisioned chain under the RSA root", "accepted") { $0.root = .rsa },
        SampleCase("a factory chain, whose certificates have expired", "accepted") { $0.provisioning = .factory },
        SampleCase("a factory chain under the RSA root", "accepted") { ($0.provisioning, $0.root) = (.factory, .rsa) },
        SampleCase("no certificate", "bad_chain") { $0.changes = .genuine.chain { $0 = [] } },
        SampleCase("one certificate", "bad_chain") { $0.changes = .genuine.chain { $0 = Array($0.prefix(1)) } },
        SampleCase("the first two certificates of five", "untrusted_root") {
            $0.changes = .genuine.chain { $0 = Array($0.prefix(2)) }
        },
        SampleCase("nine certificates", "bad_chain") {
            $0.changes = .genuine.chain { chain in chain += [[UInt8]](repeating: chain[4], count: 4) }
        },
        SampleCase("the root left out", "accepted") { $0.changes = .genuine.chain { $0.removeLast() } },
        SampleCase("a truncated certificate", "malformed_certificate") {
            $0.changes = .genuine.certificateBytes(1) { $0.removeLast() }
        },
        SampleCase("a byte after a certificate", "malformed_certificate") {
            $0.changes = .genuine.certificateBytes(0) { $0.append(0) }
        },
        SampleCase("a certificate of indefinite length", "malformed_certificate") {
            $0.changes = .genuine.certificateBytes(0) { $0 = [0x30, 0x80] + $0.dropFirst(4) + [0, 0] }
        },
        SampleCase("a length beyond the end", "malformed_certificate") {
            $0.changes = .genuine.certificateBytes(2) { $0[3] &+= 1 }
        },
        SampleCase("a hundred sequences in each other", "malformed_certificate") {
            $0.changes = .genuine.certificateBytes(0) { bytes in
                bytes = (0..<100).reduce([]) { inner, _ in DERWriter.sequence([inner]) }
            }
        },
    ]

    /// Another version of the root above the first one, as a sender may add it: another serial number, the same name and key.
    private static func secondRoot(_ root: AndroidAuthority.Root) -> @Sendable (inout [[UInt8]]) -> Void {
        { chain in
            guard let other = try? SampleAttestation.authority().certificate(root) else { return }
            chain.append(other)
        }
    }

    /// The upper certificate of a factory chain without the serial number in its name: the class of the chain cannot be
    /// determined.
    private static let classless = KeyAttestationChanges.genuine
        .certificate(1) { $0.issuer = .init(commonName: "unknown") }.certificate(2) {
            $0.subject = .init(commonName: "unknown")
        }

    private static let editions: [SampleCase] = [
        SampleCase("a remotely provisioned chain with two editions of the root", "accepted") {
            $0.changes = .genuine.certificate(4) { $0.serial = [7] }.chain(secondRoot(.p384))
        },
        SampleCase("a factory chain with two editions of the root", "accepted") {
            ($0.provisioning, $0.root) = (.factory, .rsa)
            $0.changes = .genuine.certificate(3) { $0.serial = [7] }.chain(secondRoot(.rsa))
        },
        SampleCase("a chain of unknown class, which has expired", "expired") {
            ($0.provisioning, $0.root) = (.factory, .rsa)
            $0.changes = classless
        },
        SampleCase("a chain of unknown class with two editions of a root that has a serial number in its name", "expired") {
            ($0.provisioning, $0.root) = (.factory, .rsa)
            $0.changes = classless.certificate(3) { $0.serial = [7] }.chain(secondRoot(.rsa))
        },
    ]

    private static let links: [SampleCase] = [
        SampleCase("a root of the same name with another key", "untrusted_root") {
            let other = try SampleAttestation.authority("another").certificate(.p384)
            $0.changes = .genuine.certificateBytes(4) { $0 = other }
        },
        SampleCase("an untrusted root", "untrusted_root") { $0.anchors = [.rsa, .software] },
        SampleCase("a root whose own signature is broken", "untrusted_root") {
            $0.changes = .genuine.certificateBytes(4) { $0[$0.count - 1] ^= 1 }
        },
        SampleCase("two certificates exchanged", "name_chaining") { $0.changes = .genuine.chain { $0.swapAt(1, 2) } },
        SampleCase("a certificate twice", "name_chaining") { $0.changes = .genuine.chain { $0.insert($0[1], at: 1) } },
        SampleCase("a certificate left out", "name_chaining") { $0.changes = .genuine.chain { $0.remove(at: 2) } },
        SampleCase("a flipped bit in the leaf's signature", "bad_signature") {
            $0.changes = .genuine.certificateBytes(0) { $0[$0.count - 1] ^= 1 }
        },
        SampleCase("a flipped bit in the attestation certificate's signature", "bad_signature") {
            $0.changes = .genuine.certificateBytes(1) { $0[$0.count - 1] ^= 1 }
        },
        SampleCase("a flipped bit in an intermediate's signature", "bad_signature") {
            $0.changes = .genuine.certificateBytes(2) { $0[$0.count - 1] ^= 1 }
        },
        SampleCase("another key behind the issuer's name", "bad_signature") {
            $0.changes = .genuine.signer(of: 0, try TestKey(.p256))
        },
        SampleCase("another name before the issuer's key", "name_chaining") {
            $0.changes = .genuine.certificate(0) { $0.issuer = .init(commonName: "another issuer") }
        },
    ]

    private static let algorithms: [SampleCase] = [
        SampleCase("ECDSA with SHA-1", "unsupported_algorithm") {
            let sha1 = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.1")])
            $0.changes = .genuine.certificate(0) { $0.algorithm = .named(sha1, .sha256) }
        },
        SampleCase("an algorithm outside that is not the one inside", "malformed_certificate") {
            $0.changes = .genuine.certificate(0) { $0.outerAlgorithm = .ecdsaWithSHA384 }
        },
        SampleCase("SHA-256 by a P-384 key", "accepted") {
            $0.changes = .genuine.certificate(2) { $0.algorithm = .ecdsaWithSHA256 }
        },
        SampleCase("SHA-384 by a P-256 key", "accepted") {
            $0.changes = .genuine.certificate(0) { $0.algorithm = .ecdsaWithSHA384 }
        },
        SampleCase("ECDSA with NULL as its parameters", "accepted", note: "ecdsa_with_null") {
            let named = DERWriter.sequence([DERWriter.objectIdentifier("1.2.840.10045.4.3.2"), DERWriter.null])
            $0.changes = .genuine.certificate(0) { $0.algorithm = .named(named, .sha256) }
        },
        SampleCase("an RSA batch key over a key of P-256", "accepted") {
            $0.provisioning = .factory
            $0.attestationKey = try TestKey(.rsa2048, seed: "sample", label: "batch")
        },
        SampleCase("an attestation key of RSA with 1024 bits", "unsupported_key") {
            $0.attestationKey = try TestKey(.rsa1024, seed: "sample", label: "weak")
        },
        SampleCase("an attestation key of Ed25519", "unsupported_algorithm") { $0.attestationKey = try TestKey(.ed25519) },
    ]

    private static let extensions: [SampleCase] = [
        SampleCase("no key description", "missing_attestation_extension") {
            $0.changes = .genuine.certificate(0) { $0[ExtensionName.keyDescription] = nil }
        },
        SampleCase("a certificate with a description below a genuine chain", "chain_extended") {
            $0.afterwards = { genuine, forged, chain in
                try genuine.extend(chain, with: forged, challenge: SampleAttestation.clientData, at: SampleAttestation.time)
            }
        },
        SampleCase("a certificate without a description below a genuine chain", "chain_extended") {
            $0.afterwards = { genuine, forged, chain in
                try genuine.extend(
                    chain, with: forged, challenge: SampleAttestation.clientData, at: SampleAttestation.time,
                    changes: .genuine.certificate(0) { $0[ExtensionName.keyDescription] = nil })
            }
        },
        SampleCase("a key attested by an attest key", "chain_extended") {
            $0.changes = .genuine.description { $0.hardware.set(.purpose, integers: [7]) }
            $0.afterwards = { attesting, attested, chain in
                try attesting.extend(chain, with: attested, challenge: SampleAttestation.clientData, at: SampleAttestation.time)
            }
        },
        SampleCase("a description in an intermediate", "chain_extended") {
            $0.changes = .genuine.certificate(2) { $0.extensions.append(.keyDescription([0x30, 0])) }
        },
        SampleCase("a critical description in an intermediate", "chain_extended") {
            $0.changes = .genuine.certificate(1) {
                $0.extensions.append(.init(ExtensionName.keyDescription, critical: true, [0x30, 0]))
            }
        },
        SampleCase("a description in the form of an EAT in an intermediate", "chain_extended") {
            $0.changes = .genuine.certificate(1) { $0.extensions.append(.init("1.3.6.1.4.1.11129.2.1.25", [0xA0])) }
        },
        SampleCase("a description of Samsung's in an intermediate", "chain_extended") {
            $0.changes = .genuine.certificate(2) { $0.extensions.append(.init("1.3.6.1.4.1.236.11.3.23.7", [0x30, 0])) }
        },
        SampleCase("a critical description of Samsung's in the root", "chain_extended") {
            $0.changes = .genuine.certificate(4) {
                $0.extensions.append(.init("1.3.6.1.4.1.236.11.3.23.7", critical: true, [0x30, 0]))
            }
        },
        SampleCase("a description of Samsung's beside Android's", "accepted") {
            $0.changes = .genuine.certificate(0) { $0.extensions.append(.init("1.3.6.1.4.1.236.11.3.23.7", [0x30, 0])) }
        },
        SampleCase("a description of Samsung's in place of Android's", "missing_attestation_extension") {
            $0.changes = .genuine.certificate(0) {
                $0[ExtensionName.keyDescription] = nil
                $0.extensions.append(.init("1.3.6.1.4.1.236.11.3.23.7", [0x30, 0]))
            }
        },
        SampleCase("a description twice", "malformed_certificate") {
            $0.changes = .genuine.certificate(0) { leaf in leaf.extensions.append(contentsOf: leaf.extensions.suffix(1)) }
        },
        SampleCase("a description below a certificate that Google's servers issued for another use", "chain_shape") {
            $0.changes = .genuine.certificate(0) { $0[ExtensionName.keyDescription] = nil }
            $0.afterwards = { genuine, forged, chain in
                try genuine.extend(chain, with: forged, challenge: SampleAttestation.clientData, at: SampleAttestation.time)
            }
        },
        SampleCase("provisioning info in the leaf", "chain_shape") {
            $0.changes = .genuine.certificate(0) { $0.extensions.append(.provisioningInfo([0xA0])) }
        },
        SampleCase("provisioning info in an intermediate", "chain_shape") {
            $0.changes = .genuine.certificate(2) { $0.extensions.append(.provisioningInfo([0xA0])) }
        },
        SampleCase("provisioning info that is no CBOR", "accepted", note: "provisioning_info_malformed") {
            $0.changes = .genuine.certificate(1) { $0[ExtensionName.provisioningInfo] = .provisioningInfo([0xFF, 0x00]) }
        },
        SampleCase("a batch certificate that says it is no CA", "accepted") {
            $0.provisioning = .factory
            $0.changes = .genuine.certificate(1) {
                $0[ExtensionName.basicConstraints] = .basicConstraints(ca: false)
                $0[ExtensionName.keyUsage] = .keyUsage(.digitalSignature)
            }
        },
        SampleCase("an extension marked critical by 0x01", "accepted", note: "critical_not_der") {
            $0.changes = .genuine.certificate(0) { $0.extensions[0].criticalOctet = 1 }
        },
    ]

    private static let dates: [SampleCase] = [
        SampleCase("a leaf that has expired", "accepted") {
            $0.changes = .genuine.certificate(0) { $0.notAfter = Timestamp(unixSeconds: 0) }
        },
        SampleCase("a leaf that is not yet valid", "accepted") {
            $0.changes = .genuine.certificate(0) { $0.notBefore = SampleAttestation.time.adding(milliseconds: 400 * day) }
        },
        SampleCase("a leaf with unreadable dates", "accepted") {
            let plain: [UInt8] = [0x17, 0x04] + Array("1970".utf8)
            $0.changes = .genuine.certificate(0) { $0.times = plain + plain }
        },
        SampleCase("a factory intermediate that is not yet valid", "not_yet_valid") {
            $0.provisioning = .factory
            $0.changes = .genuine.certificate(2) { $0.notBefore = SampleAttestation.time.adding(milliseconds: day) }
        },
        SampleCase("an attestation certificate that expired ten minutes ago", "expired") {
            $0.changes = .genuine.certificate(1) { $0.notAfter = SampleAttestation.time.adding(milliseconds: -10 * minute) }
        },
        SampleCase("an attestation certificate that expired four minutes ago, by clocks that differ", "accepted") {
            $0.changes = .genuine.certificate(1) { $0.notAfter = SampleAttestation.time.adding(milliseconds: -4 * minute) }
        },
        SampleCase("an attestation certificate that is not yet valid", "not_yet_valid") {
            $0.changes = .genuine.certificate(1) { $0.notBefore = SampleAttestation.time.adding(milliseconds: 10 * minute) }
        },
        SampleCase("an intermediate of remote provisioning that has expired", "expired") {
            $0.changes = .genuine.certificate(2) { $0.notAfter = SampleAttestation.time.adding(milliseconds: -day) }
        },
        SampleCase("a remotely provisioned chain that is judged a month later", "expired") {
            $0.now = SampleAttestation.time.adding(milliseconds: 30 * day)
        },
        SampleCase("a root that has expired", "accepted") {
            $0.changes = .genuine.certificate(4) { $0.notAfter = SampleAttestation.time.adding(milliseconds: -day) }
        },
    ]
}
