import AssayAPI
package import AssayCore
import AssayFiles
import AssaySchemes
package import AssayVendors
import Crypto
import Foundation

/// A receiver of events: an entry of the section `webhooks`.
package struct WebhookSettings: Hashable, Sendable {
    /// `[a-z0-9-]{1,40}`, a label of metrics.
    package var name: String
    package var address: VendorAddress
    /// The secret, and the one before it during a rotation: 24 to 64 bytes each.
    package var secrets: [[UInt8]]
    /// Kinds of events, or groups of kinds; not empty.
    package var events: Set<String>
    package var apps: Set<AppID> = []
    package var callers: Set<String> = []
    package var codes: Set<String> = []
    /// From the call to the last byte of the answer.
    package var timeoutMilliseconds: Int64 = 10_000
    /// Attempts of one request, the first included.
    package var attempts = 10
    /// Events that wait at a time.
    package var waiting = 10_000
    /// The dead-letter file's size, in bytes.
    package var deadLetterBytes = 16 << 20

    /// Of the section.
    package static let countLimit = 32
    private static let nameLimit = 40
}

/// No dump of the settings shows a secret.
extension WebhookSettings: CustomReflectable, CustomStringConvertible {
    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
    package var description: String { "WebhookSettings(\(name))" }
}

extension WebhookSettings {
    /// The section `webhooks`, in the order of the names.
    static func read(
        _ value: ConfigurationReader.Value?, _ files: ConfigurationFiles, apps: [String]?, _ callers: CallerDirectory
    ) -> [WebhookSettings] {
        guard let value, let members = value.members() else { return [] }
        if members.count > countLimit { value.report("want at most \(countLimit) webhooks, have \(members.count)") }
        return members.compactMap { name, value in WebhookSettings(name, reading: value, files, apps: apps, callers) }
            .sorted { $0.name < $1.name }
    }

    fileprivate init?(
        _ name: String, reading value: ConfigurationReader.Value, _ files: ConfigurationFiles, apps known: [String]?,
        _ directory: CallerDirectory
    ) {
        let isNamed =
            (1...Self.nameLimit).contains(name.utf8.count)
            && name.utf8.allSatisfy {
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            }
        if !isNamed {
            value.report("a webhook's name is of the form [a-z0-9-]{1,\(Self.nameLimit)}, have \"\(name.prefix(60))\"")
        }
        let section = value.section()
        let address = section.required("url")?.webhookAddress()
        let secret = section.required("secret")?.webhookSecret(files)
        let previous = section.optional("previous_secret")?.webhookSecret(files)
        let kinds = section.required("events")?.filledList(orReport: "without events nothing is sent")
        let events = kinds?.compactMap { item -> String? in
            guard let kind = item.text() else { return nil }
            guard WatchKind.isKnown(kind) else {
                let groups = [WatchKind.verdict, WatchKind.change, WatchKind.device]
                item.report(
                    "want a kind of events, or one of verdict, change and device, have \"\(kind.prefix(40))\""
                        + (Spelling.nearest(to: kind, among: WatchKind.all + groups).map { "; did you mean \"\($0)\"?" } ?? ""))
                return nil
            }
            return kind
        }
        let apps = section.optional("apps")?.filledList(orReport: "leave it out for all apps")?.compactMap {
            $0.appID(among: known)
        }
        func words(_ key: String, _ read: (ConfigurationReader.Value) -> String?) -> Set<String> {
            Set(section.optional(key)?.filledList(orReport: "leave it out for all")?.compactMap(read) ?? [])
        }
        let callers = words("callers") { $0.callerName(in: directory) }
        let codes = words("codes") { $0.reasonCode() }
        let timeout = section.optional("timeout")?.milliseconds(in: 100...60_000)
        let attempts = section.optional("max_attempts")?.integer(in: 1...1000)
        let waiting = section.optional("max_waiting")?.integer(in: 100...100_000)
        let bytes = section.optional("max_dead_letter_bytes")?.bytes(in: 1 << 20...1 << 30)
        section.done()
        if let events, !codes.isEmpty, events.allSatisfy({ $0 == WatchKind.change || $0.hasPrefix(WatchKind.change + ".") }) {
            section.optional("codes")?.report("changes have no code: nothing would be sent")
        }
        guard isNamed, let address, let secret, let events, !events.isEmpty else { return nil }
        self.init(
            name: name, address: address, secrets: [secret] + (previous.map { [$0] } ?? []), events: Set(events))
        (self.apps, self.callers, self.codes) = (Set(apps ?? []), callers, codes)
        timeoutMilliseconds = timeout ?? timeoutMilliseconds
        self.attempts = attempts ?? self.attempts
        self.waiting = waiting ?? self.waiting
        deadLetterBytes = bytes ?? deadLetterBytes
    }

    /// The dead-letter file beside the ledger.
    package func deadLetters(beside ledger: String) -> String { ledger + "-webhook-\(name).jsonl" }

    /// SHA-256 over the secrets, for the digest of the configuration.
    var secretsDigest: [UInt8] {
        var hash = FieldDigest("assay.webhook-secrets.v1")
        for secret in secrets { hash.append(secret) }
        return hash.finalize()
    }

    /// What is sent where, as a sentence.
    package var summary: String {
        let words = events.sorted().joined(separator: ", ")
        let ofApps = apps.isEmpty ? "" : " of \(apps.map(\.text).sorted().joined(separator: ", "))"
        return "sends \(words)\(ofApps) to the webhook \(name) at \(address.origin)"
    }
}

extension ConfigurationReader.Value {
    /// The name of a caller: one of the configuration, or that of an API key.
    fileprivate func callerName(in directory: CallerDirectory) -> String? {
        guard let text = filledText() else { return nil }
        let names = directory.names
        guard !names.isEmpty, !names.contains(text), !text.utf8.starts(with: KeyRule.prefix.utf8) else { return text }
        report("there is no caller \"\(text.prefix(64))\"" + Spelling.hint(for: text, among: names))
        return nil
    }

    /// A reason code. A plugin may have one of its own, so that one which is not known is no mistake unless it is near one that is.
    fileprivate func reasonCode() -> String? {
        guard let text = filledText() else { return nil }
        guard ReasonCode(rawValue: text) == nil, let meant = ReasonCode.meant(by: text) else { return text }
        report("no reason is called \"\(text.prefix(64))\"; did you mean \"\(meant.rawValue)\"?")
        return nil
    }

    /// `https://host/path`, or `http://` with this machine.
    fileprivate func webhookAddress() -> VendorAddress? {
        guard let text = text() else { return nil }
        guard let address = VendorAddress(text, allowsPlainLoopback: true) else {
            report(
                "want https://host/path, or http://127.0.0.1:port/path on this machine; at most \(VendorAddress.lengthLimit) bytes, without credentials, query and fragment"
            )
            return nil
        }
        return address
    }

    /// The secret in a file: `whsec_` and Base64 of 24 to 64 bytes.
    fileprivate func webhookSecret(_ files: ConfigurationFiles) -> [UInt8]? {
        guard text()?.hasPrefix("whsec_") != true else {
            report(
                "want the path of a file with the secret, have the secret itself: write it into a file of mode 0600, and make a new one if others could read this"
            )
            return nil
        }
        guard let path = path(files) else { return nil }
        let bytes: [UInt8]
        do throws(ProtectedFileError) { bytes = try ProtectedFile.read(path, atMost: 1024) } catch {
            report("the secret file \(path) \(error.description)")
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.hasPrefix("whsec_"), let secret = Data(base64Encoded: String(text.dropFirst(6))).map({ Array($0) }),
            (24...64).contains(secret.count)
        else {
            report("the secret file \(path) has no secret: want \"whsec_\" and Base64 of 24 to 64 bytes")
            return nil
        }
        return secret
    }
}
