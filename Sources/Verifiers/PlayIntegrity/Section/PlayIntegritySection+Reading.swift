import AssayCore
import AssayFiles
import AssaySchemes

extension PlayIntegritySection {
    init(reading value: ConfigurationReader.Value, _ shared: SharedSettings) {
        let section = value.section()
        let app = PlayIntegrityIdentity(
            packages: Set(
                section.required("packages")?.filledList(orReport: "want at least one package")?.compactMap { $0.packageName() }
                    ?? []),
            signers: Set(
                section.required("signers")?.filledList(orReport: "want at least one signer: the SHA-256 of a certificate")?
                    .compactMap { $0.digest() } ?? []))
        let mode = section.optional("mode")?.choice([
            "local": PlayDecoding.local, "google": .google, "local_then_google": .localThenGoogle,
        ])
        let decoding = mode ?? .local
        let list = section.optional("keys")
        var keys: [PlayKeySet] = []
        for item in list?.filledList() ?? [] {
            guard let keySet = PlayKeySet(reading: item, shared.files) else { continue }
            if keys.contains(where: { $0.fingerprint == keySet.fingerprint }) { item.report("the keys stand here twice") }
            keys.append(keySet)
        }
        let isMisread = section.optional("mode") != nil && mode == nil
        if !isMisread, decoding != .google, list == nil {
            value.report("want \"keys\": without them only Google opens tokens (mode: google)")
        }
        if decoding == .google { list?.report("keys are of no use where Google opens the tokens (mode: google)") }
        let policy = PlayIntegrityPolicy(reading: section)
        let google = section.optional("google")
        let rule = google.flatMap { PlayDecodeRule(reading: $0, packages: app.packages, shared) }
        section.done()
        if decoding != .google, !policy.kinds.contains(.classic) {
            section.optional("kinds")?.report(
                "keys open tokens of classic requests only: want \"classic\" too, or \"mode: google\" without keys")
        }
        if decoding != .local, google == nil {
            value.report("want \"google\": whose service account asks Google (mode: \(decoding.rawValue))")
        }
        if decoding == .local, !isMisread { google?.report("nobody asks Google where we open the tokens (mode: local)") }
        self.init(app: app, keys: keys, decoding: decoding, policy: policy, google: rule)
    }
}

extension PlayIntegrityPolicy {
    /// The longest that a token may be good for: an hour, as challenges are.
    private static let longestAge: Int64 = 3_600_000

    fileprivate init(reading section: ConfigurationReader.Section) {
        self.init()
        if let list = section.optional("kinds")?.filledList() {
            kinds = Set(list.compactMap { $0.choice(["classic": PlayRequestKind.classic, "standard": .standard]) })
        }
        if let age = section.optional("max_age")?.milliseconds(in: 1000...Self.longestAge) { maxAgeMilliseconds = age }
        if let list = section.optional("app_verdicts")?.filledList() {
            appVerdicts = Set(
                list.compactMap {
                    $0.choice(["PLAY_RECOGNIZED": PlayVerdict.App.playRecognized, "UNRECOGNIZED_VERSION": .unrecognizedVersion])
                })
        }
        if let list = section.optional("device_verdicts")?.filledList() {
            deviceVerdicts = Set(
                list.compactMap {
                    $0.choice([
                        "MEETS_BASIC_INTEGRITY": PlayVerdict.Device.basic, "MEETS_DEVICE_INTEGRITY": .device,
                        "MEETS_STRONG_INTEGRITY": .strong, "MEETS_VIRTUAL_INTEGRITY": .virtual,
                    ])
                })
        }
        minVersionCode = section.optional("min_version_code")?.integer(
            in: 0...Int(Int64.max), as: "a version code, which is a whole number,"
        ).map { Int64($0) }
        minSDKVersion = section.optional("min_sdk_version")?.integer(in: 1...10_000).map { Int64($0) }
        if let signals = section.optional("signals")?.section() {
            readSignals(signals)
            signals.done()
        }
    }

    private mutating func readSignals(_ section: ConfigurationReader.Section) {
        let rules: [(PlaySignal, ConfigurationReader.Value?)] = [
            (.licensing, section.optional("licensing")), (.playProtect, section.optional("play_protect")),
            (.appAccessRisk, section.optional("app_access_risk")), (.deviceActivity, section.optional("device_activity")),
            (.deviceRecall, section.optional("device_recall")), (.accountActivity, section.optional("account_activity")),
        ]
        for (signal, rule) in rules {
            guard let rule else { continue }
            let values = rule.section()
            for value in signal.usualReactions.keys.sorted() {
                reactions[signal, default: [:]][value] = values.optional(value.text)?.choice([
                    "fail": .fail, "warn": .warn, "ignore": .ignore,
                ])
            }
            values.done()
            // Of apps and marks a token may tell none; of the others it tells one value, or none, which counts as UNEVALUATED.
            if signal != .appAccessRisk, signal != .deviceRecall, self.reactions(to: signal).values.allSatisfy({ $0 == .fail })
            {
                rule.report("every value fails, so that no token is accepted")
            }
        }
    }
}

extension PlayKeySet {
    /// The longest key file that is read, in bytes. The keys have 44 and 124 characters.
    private static let fileLimit = 4096

    fileprivate init?(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) {
        let section = value.section()
        let decryption = section.required("decryption_key_file").flatMap { Self.bytes(of: $0, files) }
        let verification = section.required("verification_key_file").flatMap { Self.bytes(of: $0, files) }
        section.done()
        guard let decryption, let verification else { return nil }
        guard let keySet = PlayKeySet(decryptionKey: decryption, verificationKey: verification) else {
            value.report(
                decryption.count == Self.decryptionKeyLength
                    ? "the verification key is not the SubjectPublicKeyInfo of a P-256 key"
                    : "the decryption key has \(decryption.count) bytes, not \(Self.decryptionKeyLength)")
            return nil
        }
        self = keySet
    }

    /// The Base64 text that the Play Console shows, in a file that only its owner can read.
    private static func bytes(of value: ConfigurationReader.Value, _ files: ConfigurationFiles) -> [UInt8]? {
        guard let path = value.path(files) else { return nil }
        let content: [UInt8]
        do {
            content = try ProtectedFile.read(path, atMost: fileLimit + 1)
        } catch {
            value.report("the file \(path) \(error.description)")
            return nil
        }
        let text = String(decoding: content, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard content.count <= fileLimit, text.count == 1, let key = text.first.flatMap({ ByteText.decode(String($0)) }) else {
            value.report("the file \(path) does not hold the Base64 text of a key, as the Play Console shows it")
            return nil
        }
        return key
    }
}
