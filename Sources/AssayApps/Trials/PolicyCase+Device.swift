import AssayConfiguration
import AssayCore
import AssayFiles
import AssaySchemes

extension Device {
    /// A device as a case states it: `format`, `claims`, and what else of its registration the policy looks at.
    init?(reading value: ConfigurationReader.Value, of app: AppID, at now: Timestamp) {
        let section = value.section()
        let formats = EvidenceFile.formats.map(\.rawValue).sorted()
        let format = section.required("format")?.choice(among: formats).map(EvidenceFormat.init(rawValue:))
        let environment = section.optional("environment")?.text()
        let anchor = section.required("anchor")?.digest()
        let keyID = section.optional("key_id")?.bytes(count: 32)
        let attestationKey = section.optional("attestation_key")?.digest()
        let serials = section.optional("serials")?.list()?.compactMap { $0.bytes() } ?? []
        let simulated = section.optional("simulated")?.boolean() ?? false
        let imported = section.optional("imported")?.boolean() ?? false
        let metric = section.optional("risk_metric")?.integer(in: 0...Int(Int32.max))
        let claims = section.required("claims").flatMap(Claims.init(reading:))
        section.done()
        guard let format, let anchor, let claims else { return nil }
        self.init(
            id: .random(), app: app, subject: nil,
            registration: Registration(
                format: format, keyID: keyID ?? [], publicKey: [], environment: environment ?? "production", anchor: anchor,
                claims: claims, chainSerials: serials, attestationKey: attestationKey ?? [], receipt: [], simulated: simulated,
                imported: imported), registeredAt: now)
        if let metric { exchange.metric = RiskMetric(Int64(metric), at: now) }
    }
}

extension Claims {
    /// Claims by name: a truth value, a whole number, a text, a list of texts; bytes as `hex:…` or `base64:…`, a time as `time:…`.
    fileprivate init?(reading value: ConfigurationReader.Value) {
        guard let members = value.members() else { return nil }
        self.init()
        for (name, value) in members {
            guard let read = Self.value(reading: value) else { return nil }
            add(name, read)
        }
    }

    private static func value(reading value: ConfigurationReader.Value) -> Value? {
        if value.isList { return value.list().map { .texts($0.compactMap { $0.text() }) } }
        if value.isWord("true") || value.isWord("false") { return value.boolean().map { .boolean($0) } }
        guard let text = value.text() else { return nil }
        if let number = Int64(text) { return .integer(number) }
        func rest(_ prefix: String) -> String? { text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil }
        if let digits = rest("hex:") {
            guard let bytes = Hex.decode(digits) else {
                value.report("want hexadecimal digits after \"hex:\"")
                return nil
            }
            return .bytes(bytes)
        }
        if let encoded = rest("base64:") {
            guard let bytes = Base64.url.decode(encoded) ?? Base64.standard.decode(encoded) else {
                value.report("want Base64 after \"base64:\"")
                return nil
            }
            return .bytes(bytes)
        }
        if let time = rest("time:") {
            guard let time = Timestamp(rfc3339: time) else {
                value.report("want a time such as time:2026-04-21T18:13:13Z")
                return nil
            }
            return .time(time)
        }
        return .text(rest("text:") ?? text)
    }
}

extension ConfigurationReader.Value {
    /// A time such as `2026-04-21T18:13:13Z`.
    func time() -> Timestamp? {
        guard let text = text() else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            report("want a time such as 2026-04-21T18:13:13Z, have \"\(text.prefix(60))\"")
            return nil
        }
        return time
    }

    /// Bytes in any form of `ByteText`.
    ///
    /// - Parameter count: how many are wanted; `nil`: any number.
    func bytes(count: Int? = nil) -> [UInt8]? {
        guard let text = text() else { return nil }
        guard let bytes = count.map({ ByteText.decode(text, count: $0) }) ?? ByteText.decode(text) else {
            report("want \(count.map { "\($0) " } ?? "")bytes in \(ByteText.forms)")
            return nil
        }
        return bytes
    }

    /// The content of the file that the value names.
    func content(_ files: ConfigurationFiles, atMost limit: Int) -> [UInt8]? {
        guard let path = path(files) else { return nil }
        do throws(BoundedFileError) {
            return try BoundedFile.read(path, atMost: limit)
        } catch {
            report("the file \(path) \(error)")
            return nil
        }
    }
}
