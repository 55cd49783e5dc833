import AssayAPI
import AssayCore
import AssayEncoding
import Foundation

/// The output form of a certificate's record, for people and for tools.
extension Assay_V1_DeviceCertificate {
    private var device: String { DeviceID(bytes: Array(deviceID))?.description ?? Hex.encode(deviceID) }
    private var mark: String { simulated ? "  [simulated]" : "" }

    /// Without `[simulated]`, which the first line has.
    private var stateText: String {
        guard hasRevocation else { return "good" }
        let time = Timestamp(unixMilliseconds: revocation.revokedAtUnixMs)
        return Console.styled("revoked", .bad) + " for \(revocation.reason.name) at \(time)"
    }

    var lines: [String] {
        var lines = [
            Hex.encode(serial) + mark,
            "  app        \(app)",
            "  device     \(device)",
            "  state      \(stateText)",
            "  valid      \(Timestamp(unixMilliseconds: notBeforeUnixMs)) to \(Timestamp(unixMilliseconds: notAfterUnixMs))",
            "  issued     \(Timestamp(unixMilliseconds: issuedAtUnixMs))",
            "  issuer     \(BytesText.hexFirst(issuerSpkiSha256))",
            "  assurance  \(assurance.name)",
            "  key        \(keyProtection.name)",
            "  key id     \(BytesText.base64First(keyID))",
            "  platform   \(platform.printable)",
            "  policy     \(BytesText.hexFirst(policyDigest))",
        ]
        if hasRenewedFrom { lines.append("  origin     renewed from \(Hex.encode(renewedFrom.serial))") }
        return lines
    }

    /// One line of a listing.
    var row: String {
        let state = hasRevocation ? Console.styled("revoked", .bad) : "good   "
        let end = Timestamp(unixMilliseconds: notAfterUnixMs)
        return "\(Hex.encode(serial))  \(state)  \(device)  \(assurance.name.padded(to: 14))  until \(end)\(mark)"
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "serial": Hex.encode(serial), "app": app, "state": hasRevocation ? "revoked" : "good",
            "not_before": Timestamp(unixMilliseconds: notBeforeUnixMs).description,
            "not_after": Timestamp(unixMilliseconds: notAfterUnixMs).description,
            "issued_at": Timestamp(unixMilliseconds: issuedAtUnixMs).description,
            "assurance": assurance.name, "key_protection": keyProtection.name, "platform": platform, "simulated": simulated,
        ]
        object.add(device: "device_id", deviceID)
        object.add(hex: "issuer_spki_sha256", issuerSpkiSha256)
        object.add(base64url: "key_id", keyID)
        object.add(hex: "policy_digest", policyDigest)
        if hasRenewedFrom { object["renewed_from"] = renewedFrom.json }
        // Deleted when the device was forgotten.
        if !certificate.isEmpty { object["certificate_pem"] = PEM.encode(certificate) }
        if hasRevocation {
            object["revocation_reason"] = revocation.reason.name
            object["revoked_at"] = Timestamp(unixMilliseconds: revocation.revokedAtUnixMs).description
        }
        return object
    }
}

extension Assay_V1_CertificateName {
    var json: [String: Any] {
        var object: [String: Any] = ["serial": Hex.encode(serial)]
        object.add(hex: "issuer_spki_sha256", issuerSpkiSha256)
        return object
    }
}

extension Assay_V1_DeviceCertificate.KeyProtection {
    var name: String {
        KeyProtection.allCases.first { $0.message == self }?.name ?? "unknown"
    }
}

extension Assay_V1_RevocationReason {
    var name: String { RevocationReason.allCases.first { $0.message == self }?.name ?? "unknown" }
}

/// The output form of a CA.
extension Assay_V1_Authority {
    var lines: [String] {
        var lines = [
            "\(name.printable)",
            "  state      " + (problem.isEmpty ? state.name : Console.styled(state.name, .bad)),
            "  SPKI       \(BytesText.hexFirst(spkiSha256))",
            "  until      \(Timestamp(unixMilliseconds: notAfterUnixMs))",
            "  chain      \(chain.count) \(chain.count == 1 ? "certificate" : "certificates")",
            "  CRL        \(revocationListURL.isEmpty ? "no URL in certificates" : revocationListURL.printable)",
        ]
        if !problem.isEmpty { lines.append("  problem    " + Console.styled(problem.printable, .bad)) }
        return lines
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "name": name, "state": state.name, "not_after": Timestamp(unixMilliseconds: notAfterUnixMs).description,
            "revocation_list_url": revocationListURL, "problem": problem, "chain_pem": chain.map { PEM.encode($0) },
        ]
        object.add(hex: "spki_sha256", spkiSha256)
        return object
    }
}

extension Assay_V1_Authority.State {
    fileprivate var name: String {
        switch self {
        case .next: "next"
        case .signing: "signing"
        case .retiring: "retiring"
        case .ended: "ended"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }
}

/// The output form of a permission to provision a device.
extension Assay_V1_Enrolment {
    private var permitText: (kind: String, name: String) {
        switch permit {
        case .serial(let serial): ("serial", serial.printable)
        case .tokenSha256(let digest): ("token", Hex.encode(digest))
        case nil: ("unknown", "")
        }
    }

    private func text(_ device: Data) -> String { DeviceID(bytes: Array(device))?.description ?? Hex.encode(device) }

    /// True if the permission is unused and its end is reached: no device can use it.
    private func hasExpired(at now: Timestamp) -> Bool {
        usedBy.isEmpty && expiresAtUnixMs != 0 && expiresAtUnixMs <= now.unixMilliseconds
    }

    private func state(at now: Timestamp) -> String {
        let hasExpired = hasExpired(at: now)
        return switch (usedBy.isEmpty, replaces.isEmpty) {
        case (true, true): hasExpired ? "expired" : "unused"
        case (true, false): (hasExpired ? "expired, was readmitted" : "readmitted") + ", to replace \(text(replaces))"
        case (false, true): "used by \(text(usedBy))"
        case (false, false): "used by \(text(usedBy)), which replaced \(text(replaces))"
        }
    }

    /// One line of a listing.
    func row(at now: Timestamp) -> String {
        let (kind, name) = permitText
        var row = "\(kind.padded(to: 6))  \(name)  \(state(at: now))"
        if !deviceFamily.isEmpty { row += "  family \(deviceFamily.printable)" }
        if expiresAtUnixMs != 0 { row += "  until \(Timestamp(unixMilliseconds: expiresAtUnixMs))" }
        return row
    }

    func json(at now: Timestamp) -> [String: Any] {
        let unused = hasExpired(at: now) ? "expired" : replaces.isEmpty ? "unused" : "readmitted"
        var object: [String: Any] = [
            "family": deviceFamily, "created_at": Timestamp(unixMilliseconds: createdAtUnixMs).description,
            "state": usedBy.isEmpty ? unused : "used",
        ]
        switch permit {
        case .serial(let serial): object["serial"] = serial
        case .tokenSha256(let digest): object.add(hex: "token_sha256", digest)
        case nil: break
        }
        if expiresAtUnixMs != 0 { object["expires_at"] = Timestamp(unixMilliseconds: expiresAtUnixMs).description }
        if !usedBy.isEmpty { object.add(device: "used_by", usedBy) }
        if !replaces.isEmpty { object.add(device: "replaces", replaces) }
        return object
    }
}

/// Certificates in PEM, one after the other.
extension Sequence where Element: Collection<UInt8> {
    var pem: String { map { PEM.encode($0) }.joined() }
}
