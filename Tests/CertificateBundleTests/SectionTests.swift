import AssayCertificates
import AssayCore
import AssayEncoding
import AssaySchemes
import AssaySimulator
import AssayTesting
import AssayVendors
import Foundation
import Testing

@testable import CertificateBundle

@Suite("The section certificate_bundle")
struct CertificateBundleSectionTests {
    private let folder: URL
    private let authority: CameraAuthority

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "section-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        authority = try CameraAuthority(seed: "section", from: Fleet.now)
        try write(authority.issuingPEM, "issuing.pem")
        try writeList([])
    }

    private func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    private func writeList(_ serials: [[UInt8]], at time: Timestamp = Fleet.now) throws {
        let list = RevocationListBuilder(of: authority, at: time, entries: serials.map { .init($0, at: time) })
        try write(try list.pem(signedBy: authority.issuingKey), "list.pem")
    }

    private func read(_ text: String) throws -> (section: CertificateBundleSection?, problems: [String]) {
        let reader = ConfigurationReader(file: "assayd.yaml")
        let app = try reader.open("certificate_bundle:\n" + text.split(separator: "\n").map { "  \($0)\n" }.joined()).value
        let shared = SharedSettings(
            files: ConfigurationFiles(folder: folder.path), appleTeams: AppleTeams(),
            googleOAuth: try #require(VendorAddress("https://oauth.example")), services: [:], lists: [:])
        let section = CertificateBundleScheme.read(try #require(app.at("certificate_bundle")), shared)
        return (section as? CertificateBundleSection, reader.problems.map { "\($0)" })
    }

    @Test("All keys are read, and the defaults are those of the page")
    func keys() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let usual = try #require(try read("issued_here: true").section)
        #expect(usual.policy.maxFuture == 60_000 && usual.policy.maxAge == 30 * 86_400_000)
        #expect(usual.policy.secret == .ifPresent && usual.policy.allowsSplit && usual.policy.foreignAssurance == .software)
        #expect(usual.policy.submissions.warn == 8_000 && usual.policy.submissions.block == 10_000)
        #expect(usual.acceptsOwn && usual.authorities.isEmpty && usual.lists.isEmpty)
        let (section, problems) = try read(
            """
            authorities: [issuing.pem]
            issued_here: false
            max_future: 2m
            max_age: 7d
            extension_arc: 1.3.6.1.4.1.55555.7.1
            secret: required
            submissions: {warn: 10, block: 20}
            split: deny
            assurance: hardware
            crl_files: [list.pem]
            """)
        #expect(problems.isEmpty)
        let read = try #require(section)
        #expect(read.policy.maxFuture == 120_000 && read.policy.maxAge == 7 * 86_400_000)
        #expect(read.policy.arc.description == "1.3.6.1.4.1.55555.7.1" && read.policy.secret == .required)
        #expect(read.policy.submissions.warn == 10 && read.policy.submissions.block == 20)
        #expect(!read.policy.allowsSplit && read.policy.foreignAssurance == .hardware && !read.acceptsOwn)
        #expect(read.authorities.count == 1 && read.revocationFiles.map(\.path) == [folder.path + "/list.pem"])
        #expect(read.lists.first?.issuer == read.authorities.first?.publicKeySHA256)
    }

    @Test("What cannot be meant is reported", arguments: 0..<10)
    func problems(_ index: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try write(try CameraAuthority(seed: "another", from: Fleet.now).issuingPEM, "another.pem")
        let wrong: [(String, String)] = [
            ("issued_here: false", "authorities"), ("extension_arc: camera", "OBJECT IDENTIFIER"),
            ("extension_arc: []", "1 to 8 arcs"),
            ("submissions: {warn: 20, block: 10}", "warn"), ("assurance: hardware", "authorities"),
            ("authorities: [another.pem]\ncrl_files: [list.pem]", "does not verify"), ("crl_files: [list.pem]", "authority"),
            ("authorities: [issuing.pem]\ncrl_files: [issuing.pem]", "revocation list"),
            ("authorities: [issuing.pem]\ncrl_files: [list.pem, list.pem]", "another list"), ("secrets: required", "secret"),
        ]
        let (text, word) = wrong[index]
        let problems = try read(text).problems
        #expect(problems.contains { $0.contains(word) }, "\(problems)")
    }

    @Test("Each field that bears on a verdict moves the policy digest")
    func digest() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let base = try #require(try read("authorities: [issuing.pem]\ncrl_files: [list.pem]").section)
        let coverage = DigestCoverage(
            base: base,
            digest: { section in
                var policy = PolicyText("test")
                section.describe(in: &policy, testRoots: [])
                return policy.digest
            },
            variations: [
                "policy.maxFuture": { $0.policy.maxFuture += 1 }, "policy.maxAge": { $0.policy.maxAge += 1 },
                "policy.arc": { $0.policy.arc = FleetArc("1.2.3") ?? $0.policy.arc },
                "policy.secret": { $0.policy.secret = .required },
                "policy.submissions.warn": { $0.policy.submissions.warn += 1 },
                "policy.submissions.block": { $0.policy.submissions.block += 1 },
                "policy.allowsSplit": { $0.policy.allowsSplit = false },
                "policy.foreignAssurance": { $0.policy.foreignAssurance = .hardware },
                "authorities": { $0.authorities = [] }, "acceptsOwn": { $0.acceptsOwn = false }, "lists": { $0.lists = [] },
                "lists.issuer": { section in
                    section.lists = section.lists.map { CertificateBundleSection.ListFile(issuer: [1], file: $0.file) }
                },
                "lists.file": { $0.lists = [] },
            ])
        #expect(coverage.problems == [])
    }

    @Test("A section makes the verifier of bundles and the appraiser of fleet devices, and the scheme that of renewals")
    func verifiers() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let section = try #require(try read("authorities: [issuing.pem]").section)
        let own = try TrustAnchor(name: "own", pem: authority.rootPEM, simulated: false)
        let dependencies = SchemeDependencies(testRoots: [], deviceAuthorities: [own]).of(try #require(AppID("camera")))
        let verifiers = section.verifiers(dependencies, with: section.deviceAppraisers(dependencies))
        #expect(verifiers.map(\.format) == [.certificateBundle])
        let verifier = try #require(verifiers.first as? CertificateBundleVerifier)
        #expect(verifier.authorities.all.count == 2 && verifier.authorities.isOwn(own.publicKeySHA256))
        #expect(verifier.app?.text == "camera" && verifier.judges.keys.map(\.rawValue) == ["fleet-device"])
        #expect(section.deviceAppraisers(dependencies).allSatisfy { !$0.signsMessages })
        #expect(CertificateBundleScheme.verifiers(dependencies, with: []).map(\.format) == [.certificateSignature])
        let foreignOnly = try #require(try read("authorities: [issuing.pem]\nissued_here: false").section)
        let foreign = foreignOnly.verifiers(dependencies, with: []).first as? CertificateBundleVerifier
        #expect(foreign?.authorities.all.count == 1 && foreign?.authorities.isOwn(own.publicKeySHA256) == true)
        #expect(section.summary.first?.contains("Virtual Cameras Device CA") == true)
    }

    @Test("A list that is replaced is read again, unless it is older, of another CA, or no list")
    func replaced() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let section = try #require(try read("authorities: [issuing.pem]\ncrl_files: [list.pem]").section)
        let file = try #require(section.revocationFiles.first)
        func replace(_ write: () throws -> Void, changed: Double) throws -> Result<Void, FeedError> {
            try write()
            let path = folder.appending(path: "list.pem").path
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_772_366_400 + changed)], ofItemAtPath: path)
            return Result { () throws(FeedError) in try file.refresh(at: Fleet.now) }
        }
        #expect(file.snapshot.count == 0)
        let later = Fleet.now.adding(milliseconds: 60_000)
        #expect(throws: Never.self) { try replace({ try writeList([[7]], at: later) }, changed: 1).get() }
        #expect(file.snapshot[[7]] != nil)
        #expect(throws: FeedError.outdated) { try replace({ try writeList([]) }, changed: 2).get() }
        let other = try CameraAuthority(seed: "other", from: Fleet.now)
        let forged = try RevocationListBuilder(of: authority, at: later).pem(signedBy: other.issuingKey)
        #expect(throws: FeedError.self) { try replace({ try write(forged, "list.pem") }, changed: 3).get() }
        #expect(throws: FeedError.self) { try replace({ try write("no list", "list.pem") }, changed: 4).get() }
        #expect(file.snapshot[[7]] != nil)
        // Its issuer was to replace it within a week.
        guard case .snapshot = file.knowledge(at: later.adding(milliseconds: 7 * 86_400_000)) else {
            Issue.record("a list before its nextUpdate is not used")
            return
        }
        let stale = later.adding(milliseconds: 7 * 86_400_000 + 300_001)
        #expect(file.knowledge(at: stale).unavailable?.contains("was to be replaced") == true)
        #expect(section.findings(beside: [:], at: Fleet.now).isEmpty)
        #expect(section.findings(beside: [:], at: stale).map(\.path) == ["certificate_bundle.crl_files[0]"])
    }

    @Test("A bundle in JSON is recognised, explained, and judged under an app's section without the registry")
    func inspection() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let fleet = try Fleet()
        try write(fleet.authority.issuingPEM, "issuing.pem")
        let section = try #require(try read("authorities: [issuing.pem]").section)
        let inspector = CertificateBundleInspector()
        let json = try fleet.bundle()
        #expect(inspector.recognition.holds(for: json) && !inspector.recognition.holds(for: Array("{}".utf8)))
        let explanation = inspector.explain(json, for: InspectionSubject())
        #expect(explanation.firstProblem == nil && explanation.fields.contains { $0.name == "device_serial" })
        #expect(inspector.explain(Array("{}".utf8), for: InspectionSubject()).firstProblem != nil)
        #expect(inspector.judge(InspectionInput(bytes: json, now: Fleet.now), for: InspectionSubject()).findings.isEmpty)
        let subject = InspectionSubject(app: fleet.app, sections: ["certificate_bundle": section])
        let good = inspector.judge(InspectionInput(bytes: json, now: Fleet.now), for: subject).findings
        #expect(good.contains { $0.check == "signature" } && !good.contains { $0.outcome == .fail })
        for finding in good where finding.outcome == .pass {
            #expect(inspector.meaning(of: finding.check) != nil, "\(finding)")
        }
        let bad = inspector.judge(
            InspectionInput(bytes: try fleet.bundle(.genuine.signature { $0[9] ^= 1 }), now: Fleet.now), for: subject)
        #expect(bad.findings.contains { $0.rejection == Rejection(.badSignature, "") })
    }
}
