import AssayCore
import AssaySchemes
import Foundation
import Testing

@testable import AssayConfiguration
@testable import AssayDaemon
@testable import DaemonTesting

/// The mistakes of `WrongConfiguration.all`: each is answered with its place and its remedy, and with nothing else.
@Suite("A wrong configuration")
struct WrongConfigurationTests {
    private static let account = UnixAccount(userID: 4_000_000, groups: [4_000_000, UInt32(getegid())])

    private func check(_ text: [UInt8], in folder: TemporaryFolder) throws -> ConfigurationCheck {
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
        return ConfigurationCheck(try folder.write(text, to: "assayd.yaml"), as: Self.account)
    }

    @Test("is answered with the place and the remedy of its mistake alone", arguments: WrongConfiguration.all)
    func answer(_ wrong: WrongConfiguration) throws {
        try #require(BrokenConfigurationTests.working.contains(wrong.right))
        let folder = try BrokenConfigurationTests.scene()
        let text = BrokenConfigurationTests.working.replacing(wrong.right, with: wrong.wrong, maxReplacements: 1)
        let check = try check(Array(text.utf8), in: folder)
        if wrong.isFinding {
            let told = check.findings.filter { !$0.code.isDeliberate }.map { "\($0.line.map { "\($0): " } ?? "")\($0)" }
            #expect(told.count == 1 && check.exitStatus == 0, "\(check.lines) \(check.errors)")
            expect(told.first ?? "", of: wrong)
        } else {
            #expect(check.exitStatus == 65 && check.problems.count == 1, "\(check.lines) \(check.errors)")
            let file = folder.file("assayd.yaml") + ":"
            try #require(check.errors.hasPrefix(file), "\(check.errors)")
            expect(String(check.errors.dropFirst(file.count)), of: wrong)
        }
    }

    private func expect(_ answer: String, of wrong: WrongConfiguration) {
        #expect(answer.hasPrefix(wrong.place + ": "), "\(answer)")
        for words in wrong.words { #expect(answer.contains(words), "\(answer)") }
    }

    @Test(
        "in another encoding is one mistake",
        arguments: [
            (String.Encoding.utf16, "assayd.yaml: the file is UTF-16 or UTF-32; save it as UTF-8"),
            (.utf16LittleEndian, "assayd.yaml: the file is UTF-16 or UTF-32; save it as UTF-8"),
            (.utf32, "assayd.yaml: the file is UTF-16 or UTF-32; save it as UTF-8"),
            (.isoLatin1, "assayd.yaml:10: the line is not UTF-8"),
        ])
    func encoding(_ encoding: String.Encoding, _ words: String) throws {
        let folder = try BrokenConfigurationTests.scene()
        let text = BrokenConfigurationTests.working.replacing("name: far", with: "name: fär")
        let check = try check(Array(try #require(text.data(using: encoding))), in: folder)
        #expect(check.exitStatus == 65 && check.problems.count == 1 && check.errors.contains(words), "\(check.errors)")
    }

    @Test("whose lines end otherwise, or that begins with a byte order mark, names the same places", arguments: ["\r\n", "\r"])
    func lineEnds(_ end: String) throws {
        let folder = try BrokenConfigurationTests.scene()
        let text = "\u{FEFF}" + BrokenConfigurationTests.working.replacing("  path:", with: "  pth:").replacing("\n", with: end)
        let check = try check(Array(text.utf8), in: folder)
        #expect(check.errors.hasSuffix("assayd.yaml:6: store: unknown key \"pth\"; did you mean \"path\"?"), "\(check.errors)")
        #expect(check.problems.count == 1)
    }

    @Test(
        "that is no section at all gets one answer, which quotes no key",
        arguments: ["- a", "hello", "-----BEGIN PRIVATE KEY-----\nMIGH"])
    func noSection(_ text: String) throws {
        let check = try check(Array(text.utf8), in: try BrokenConfigurationTests.scene())
        #expect(check.problems.count == 1 && check.errors.contains("assayd.yaml:1: want a section, have "), "\(check.errors)")
        #expect(!check.errors.contains("MIGH"))
    }

    @Test("The keys that a misplaced one is looked for among are those of the sample that shows every key")
    func keys() throws {
        let names = Set(Configuration.keys().names)
        for name in [
            "apps.<name>.challenge.ttl", "listen[].unix", "store.postgresql.hosts", "callers.known[].roles", "tls.client_ca",
            "apps.<name>.android.packages[].signers", "apps.<name>.shadow.android.packages[].signers", "limits.rates.caller",
            "results.simulated.keys[].file", "provisioning.revocation_lists.url", "webhooks.<name>.secret",
            "apps.<name>.play_integrity.signals.play_protect.NO_ISSUES",
        ] { #expect(names.contains(name), "\(name)") }
        #expect(names.count > 200 && !names.contains { $0.isEmpty || $0.hasPrefix(".") })
    }
}
