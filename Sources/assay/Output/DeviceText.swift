import AssayAPI
import AssayCore

/// The output form of a device, for people and for tools.
extension Assay_V1_Device {
    private var name: String { DeviceID(bytes: Array(deviceID))?.description ?? "" }

    private var marks: String {
        (simulated ? "  [simulated]" : "") + (imported ? "  [imported]" : "")
            + (hasNoLongerGood ? "  " + Console.styled("[no longer good: \(noLongerGood.code.printable)]", .bad) : "")
            + (flags.isEmpty ? "" : "  " + Console.styled("[flagged: \(flagNames)]", .bad))
            + (hasCertificates && certificates.good == 0 && !hasNoLongerGood
                ? "  " + Console.styled("[\(certificates.words)]", .bad) : "")
    }

    private var flagNames: String { flags.map(\.name.printable).joined(separator: ", ") }

    var lines: [String] {
        var lines = [
            name + (simulated ? "  [simulated]" : "") + (imported ? "  [imported]" : ""),
            "  app        \(app)",
            "  state      " + (state == .blocked ? Console.styled("blocked", .bad) : "active"),
        ]
        for block in blocks {
            lines.append(
                "  blocked    by \(block.kind.name) since \(Timestamp(unixMilliseconds: block.sinceUnixMs)): "
                    + block.reason.printable)
        }
        for flag in flags {
            lines.append(
                "  flag       " + Console.styled(flag.name.printable, .bad)
                    + " by \(flag.setter), \(Timestamp(unixMilliseconds: flag.sinceUnixMs)) to "
                    + "\(Timestamp(unixMilliseconds: flag.untilUnixMs))"
                    + (flag.detail.isEmpty ? "" : ": \(flag.detail.printable)"))
        }
        if hasNoLongerGood {
            lines.append(
                "  judged     " + Console.styled("no longer good", .bad)
                    + ", its next evidence would be refused: \(noLongerGood.code.printable) (\(noLongerGood.check.printable)), "
                    + noLongerGood.detail.printable)
        }
        if hasCertificates {
            let words = certificates.words
            lines.append("  certs      " + (certificates.good == 0 ? Console.styled(words, .bad) : words))
        }
        lines += [
            "  format     \(format), \(environment)",
            "  key id     \(BytesText.base64First(keyID))",
            "  counter    \(counter)",
            "  registered \(Timestamp(unixMilliseconds: registeredAtUnixMs))",
            "  last used  \(Timestamp(unixMilliseconds: lastAcceptedAtUnixMs))",
            "  anchor     " + (anchorSpkiSha256.isEmpty ? "none: no chain was seen" : BytesText.hexFirst(anchorSpkiSha256)),
            "  subject    " + (hasSubject_p ? "set" : "none"),
            "  receipt    " + (receiptLength == 0 ? "none" : "\(receiptLength) bytes"),
        ]
        for claim in Claims(claims).all { lines.append("  claim      \(claim.name) = \(claim.value.text)") }
        return lines
    }

    /// One line of a listing.
    var row: String {
        let state = state == .blocked ? Console.styled("blocked", .bad) : "active "
        let used = Timestamp(unixMilliseconds: lastAcceptedAtUnixMs)
        return "\(name)  \(state)  \(environment.padded(to: 11))  last used \(used)  counter \(counter)\(marks)"
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "app": app, "format": format, "environment": environment,
            "state": state == .blocked ? "blocked" : "active", "counter": counter,
            "registered_at": Timestamp(unixMilliseconds: registeredAtUnixMs).description,
            "last_accepted_at": Timestamp(unixMilliseconds: lastAcceptedAtUnixMs).description,
            "receipt_length": receiptLength, "simulated": simulated,
            "imported": imported, "has_subject": hasSubject_p,
        ]
        object.add(device: "device_id", deviceID)
        object.add(base64url: "key_id", keyID)
        object.add(hex: "anchor_spki_sha256", anchorSpkiSha256)
        if hasNoLongerGood {
            object["no_longer_good"] = [
                "code": noLongerGood.code, "check": noLongerGood.check, "detail": noLongerGood.detail,
            ]
        }
        if !flags.isEmpty {
            object["flags"] = flags.map { flag in
                var members: [String: Any] = [
                    "name": flag.name,
                    "since": Timestamp(unixMilliseconds: flag.sinceUnixMs).description,
                    "until": Timestamp(unixMilliseconds: flag.untilUnixMs).description,
                ]
                if !flag.plugin.isEmpty { members["plugin"] = flag.plugin }
                if !flag.caller.isEmpty { members["caller"] = flag.caller }
                if !flag.detail.isEmpty { members["detail"] = flag.detail }
                return members
            }
        }
        if hasCertificates {
            object["certificates"] = [
                "good": certificates.good, "revoked": certificates.revoked, "expired": certificates.expired,
            ]
        }
        // Listings omit these.
        if !publicKey.isEmpty {
            object.add(base64url: "public_key", publicKey)
            object["claims"] = Claims(claims).json
            object["chain_serials"] = chainSerials.map { Hex.encode($0) }
        }
        if state == .blocked {
            object["block_reason"] = blockReason
            object["blocked_at"] = Timestamp(unixMilliseconds: blockedAtUnixMs).description
            object["blocks"] = blocks.map {
                [
                    "by": $0.kind.name, "reason": $0.reason,
                    "since": Timestamp(unixMilliseconds: $0.sinceUnixMs).description,
                ]
            }
        }
        return object
    }
}

extension Assay_V1_Device.Flag {
    /// As `the plugin anomaly`, or `the caller security`.
    fileprivate var setter: String { plugin.isEmpty ? "the caller \(caller.printable)" : "the plugin \(plugin.printable)" }
}

extension Assay_V1_Device.Certificates {
    /// As `1 good, 2 revoked`, or `no good certificate: 1 revoked`.
    fileprivate var words: String {
        let others = [(revoked, "revoked"), (expired, "expired")].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return good == 0
            ? "no good certificate: " + others.joined(separator: ", ") : (["\(good) good"] + others).joined(separator: ", ")
    }
}

extension Assay_V1_Device.Block.Kind {
    fileprivate var name: String {
        switch self {
        case .device: "device"
        case .subject: "subject"
        case .key: "key"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }
}

extension StringProtocol {
    /// The text as a terminal may show it.
    var printable: String { visible }
}

/// The output form of a block, for people and for tools.
extension Assay_V1_BlockRecord {
    /// One line of a listing.
    var row: String {
        let (kind, name) =
            switch what {
            case .deviceID(let bytes): ("device", DeviceID(bytes: Array(bytes))?.description ?? Hex.encode(bytes))
            case .subjectHash(let bytes): ("subject", Hex.encode(bytes))
            case .keyID(let bytes): ("key", Base64.standard.encode(bytes))
            case nil: ("unknown", "")
            }
        return "\(kind.padded(to: 7))  \(name)  since \(Timestamp(unixMilliseconds: sinceUnixMs)): \(reason.printable)"
    }

    var json: [String: Any] {
        var object: [String: Any] = [
            "reason": reason, "since": Timestamp(unixMilliseconds: sinceUnixMs).description,
        ]
        switch what {
        case .deviceID(let bytes):
            object["by"] = "device"
            object.add(device: "device_id", bytes)
        case .subjectHash(let bytes):
            object["by"] = "subject"
            object.add(hex: "subject_hash", bytes)
        case .keyID(let bytes):
            object["by"] = "key"
            object.add(base64url: "key_id", bytes)
        case nil: object["by"] = "unknown"
        }
        return object
    }
}
