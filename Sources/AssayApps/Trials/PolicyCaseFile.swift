package import AssayConfiguration
import AssayCore
package import AssaySchemes
import AssayVendors
import Foundation

/// A file with tests of a policy, beside the configuration that they are of. `docs/operate/test-a-policy.md` describes it.
package struct PolicyCaseFile: Sendable {
    package let configuration: Configuration
    /// The lists that answer in place of the fetched ones, by name.
    let revocationLists: [String: any RevocationSource]
    package let cases: [PolicyCase]

    /// The largest file with a list, in bytes.
    private static let listLimit = 64 << 20

    /// Reads a file with the configuration that it names. Every problem is reported, each with its line.
    ///
    /// - Parameter override: the path of another configuration than the file names.
    package static func load(
        _ path: String, configuration override: String? = nil, schemes: [any AttestationScheme.Type] = builtInSchemes
    ) throws(ConfigurationError) -> PolicyCaseFile {
        let text = try ConfigurationReader.text(of: path)
        let reader = ConfigurationReader(file: path)
        let top = try reader.open(YAMLText.withoutMark(text))
        let files = ConfigurationFiles(folder: URL(fileURLWithPath: path).deletingLastPathComponent().path)
        let named = top.optional("configuration")
        if named == nil, override == nil { top.absent(["configuration"], "\"configuration\" is missing") }
        let at = top.optional("at")?.time()
        let configurationPath = override ?? named?.path(files)
        var configuration: Configuration?
        if let configurationPath {
            do throws(ConfigurationError) {
                configuration = try Configuration.load(configurationPath, at: at ?? SystemClock().now(), schemes: schemes)
            } catch {
                reader.add(error)
            }
        }
        let lists = readLists(top.optional("revocation_lists"), files, schemes)
        let apps = configuration.map { Set($0.live.apps.map(\.id)) }
        var cases: [PolicyCase] = []
        for value in top.required("cases")?.filledList(orReport: "want at least one case") ?? [] {
            guard let read = PolicyCase(reading: value, files, at: at, apps: apps, knowing: cases) else { continue }
            cases.append(read)
        }
        top.done()
        try reader.finish()
        guard let configuration else { throw ConfigurationError(file: path, "there is no configuration") }
        return PolicyCaseFile(configuration: configuration, revocationLists: lists, cases: cases)
    }

    /// Files with lists, in the form of the service that publishes them, by the key of the list in the section `feeds`.
    private static func readLists(
        _ value: ConfigurationReader.Value?, _ files: ConfigurationFiles, _ schemes: [any AttestationScheme.Type]
    ) -> [String: any RevocationSource] {
        guard let section = value?.section() else { return [:] }
        var lists: [String: any RevocationSource] = [:]
        for declaration in schemes.flatMap({ $0.revocationLists }) {
            guard let value = section.optional(declaration.key), let bytes = value.content(files, atMost: listLimit) else {
                continue
            }
            do throws(FeedError) {
                lists[declaration.name] = StatedList(
                    try RevocationSnapshot(attestationStatus: bytes, feed: declaration.name, asOf: SystemClock().now()))
            } catch {
                value.report(error.description)
            }
        }
        section.done()
        return lists
    }

    /// A list that holds at any time.
    private struct StatedList: RevocationSource {
        let snapshot: RevocationSnapshot
        init(_ snapshot: RevocationSnapshot) { self.snapshot = snapshot }
        func knowledge(at now: Timestamp) -> RevocationKnowledge { .snapshot(snapshot) }
    }
}

extension PolicyCase {
    /// In bytes, as the next two.
    private static let longestName = 200
    private static let payloadLimit = 64 << 20
    private static let evidenceLimit = 4 << 20

    /// - Parameters:
    ///   - at: the time of cases that have none of their own.
    ///   - apps: those of the configuration; `nil` if that cannot be read, which is reported already.
    ///   - others: the cases before this one.
    fileprivate init?(
        reading value: ConfigurationReader.Value, _ files: ConfigurationFiles, at: Timestamp?, apps: Set<AppID>?,
        knowing others: [PolicyCase]
    ) {
        let section = value.section()
        let name = section.required("name")?.filledText()
        if let name {
            if name.utf8.count > Self.longestName { value.report("a name has at most \(Self.longestName) bytes") }
            if others.contains(where: { $0.name.hasBytes(of: name) }) { value.report("two cases are called \"\(name)\"") }
        }
        let app = section.required("app").flatMap { value -> AppID? in
            guard let apps else { return value.text().flatMap { AppID($0) } }
            guard let word = value.choice(among: apps.map(\.text).sorted()) else { return nil }
            return AppID(word)
        }
        let own = section.optional("at")
        let now = own.map { $0.time() } ?? at
        if own == nil, at == nil { value.report("\"at\" is missing: the time at which the policy judges") }
        let after = section.optional("after").flatMap { value -> String? in
            guard let word = value.text() else { return nil }
            guard let other = others.first(where: { $0.name.hasBytes(of: word) }) else {
                value.report("no case before this one is called \"\(word.prefix(60))\"")
                return nil
            }
            if other.app != app { value.report("the case \"\(word.prefix(60))\" is of another app") }
            guard case .evidence = other.subject else {
                value.report("the case \"\(word.prefix(60))\" registers no device")
                return nil
            }
            return other.name
        }
        let subject = Self.subject(section, value, app, files, now ?? .distantPast)
        let expectation = section.required("expect").flatMap(Expectation.init(reading:))
        section.done()
        guard let name, let app, let now, let subject, let expectation else { return nil }
        self.init(
            name: name, line: value.line, app: app, now: now, subject: subject, after: after, expectation: expectation)
    }

    private static func subject(
        _ section: ConfigurationReader.Section, _ value: ConfigurationReader.Value, _ app: AppID?,
        _ files: ConfigurationFiles, _ now: Timestamp
    ) -> Subject? {
        let (evidence, device) = (section.optional("evidence"), section.optional("device"))
        guard (evidence == nil) != (device == nil) else {
            value.report("want either \"evidence\" or \"device\"")
            return nil
        }
        if let device { return app.flatMap { Device(reading: device, of: $0, at: now) }.map { .device($0) } }
        let pieces = evidence?.filledList(orReport: "want at least one piece of evidence")?.compactMap {
            piece(reading: $0, files)
        }
        let purpose = section.optional("purpose")?.choice(["register": Purpose.register, "assert": .assert])
        let challenge = section.optional("challenge")?.bytes(count: Challenge.length)
        let payload = section.optional("payload")?.content(files, atMost: payloadLimit).map { ClientData.payloadHash($0) }
        let digest = section.optional("payload_sha256")?.digest()
        let embedded = section.optional("embedded")?.content(files, atMost: EmbeddedChallenge.clientDataLimit)
        let hash = section.optional("client_data_hash")?.bytes(count: 32)
        let subject = section.optional("subject")?.text()
        guard let app, let pieces, !pieces.isEmpty else { return nil }
        guard pieces.count <= VerificationRequest.evidenceLimit else {
            value.report("at most \(VerificationRequest.evidenceLimit) pieces of evidence")
            return nil
        }
        let binding: VerificationRequest.BindingRequest
        switch (challenge, embedded, hash) {
        case (_?, nil, nil): binding = .clientData(payloadHash: payload ?? digest)
        case (_?, let embedded?, nil): binding = .embedded(embedded)
        case (nil, nil, let hash?): binding = .callerOwned(hash)
        case (nil, nil, nil): binding = .inEvidence
        default:
            value.report(
                "\"client_data_hash\" stands without \"challenge\" and \"embedded\", and \"embedded\" with \"challenge\"")
            return nil
        }
        return .evidence(
            VerificationRequest(
                app: app,
                // A challenge was issued for one purpose.
                purpose: purpose ?? (try? Challenge(parsing: challenge ?? []))?.purpose ?? .assert,
                challenge: challenge ?? [], evidence: pieces, binding: binding, subject: Array((subject ?? "").utf8)))
    }

    private static func piece(reading value: ConfigurationReader.Value, _ files: ConfigurationFiles) -> Evidence? {
        let section = value.section()
        let format = section.required("format")?.choice(among: EvidenceFile.formats.map(\.rawValue).sorted())
        let file = section.required("file")
        let content = file?.content(files, atMost: evidenceLimit)
        let keyID = section.optional("key_id")?.bytes(count: 32)
        let algorithm = section.optional("algorithm")?.choice(among: EvidenceFile.algorithms)
        section.done()
        guard let format, let content else { return nil }
        do throws(Rejection) {
            return try EvidenceFile.evidence(
                EvidenceFormat(rawValue: format), content, keyID: keyID ?? [], algorithm: algorithm)
        } catch {
            file?.report(error.detail)
            return nil
        }
    }
}

extension PolicyCase.Expectation {
    fileprivate init?(reading value: ConfigurationReader.Value) {
        if value.isWord("accepted") {
            self = .accepted(nil)
            return
        }
        if value.isWord("unjudged") {
            self = .unjudged(check: nil)
            return
        }
        guard value.names?.isEmpty == false else {
            value.report("want accepted, unjudged, {accepted: ASSURANCE}, {rejected: CODE} or {unjudged: CHECK}")
            return nil
        }
        let section = value.section()
        let levels = Assurance.allCases.filter { $0 > .none }.map(\.name)
        let accepted = section.optional("accepted")?.choice(among: levels).flatMap { word in
            Assurance.allCases.first { $0.name == word }
        }
        let rejected = section.optional("rejected").flatMap(Self.codes)
        let unjudged = section.optional("unjudged")?.filledText()
        section.done()
        switch (accepted, rejected, unjudged) {
        case (let level?, nil, nil): self = .accepted(level)
        case (nil, let codes?, nil): self = .rejected(codes)
        case (nil, nil, let check?): self = .unjudged(check: check)
        case (nil, nil, nil): return nil  // reported
        default:
            value.report("want one of \"accepted\", \"rejected\" and \"unjudged\"")
            return nil
        }
    }

    /// One code, or a list of codes of which one is expected.
    private static func codes(_ value: ConfigurationReader.Value) -> [String]? {
        let known = ReasonCode.allCases.map(\.rawValue)
        let what = "a reason code (\(Documentation.page("reference/reason-codes.md")))"
        guard value.isList else { return value.choice(among: known, of: what).map { [$0] } }
        let codes = value.filledList()?.compactMap { $0.choice(among: known, of: what) } ?? []
        return codes.isEmpty ? nil : codes
    }
}
