import Foundation
import Testing

@testable import DaemonTesting

extension ProcessTests {
    /// The documentation's steps, executed.
    @Suite("Documented steps")
    struct DocumentedStepsTests {
        /// A page with steps, and how many of its blocks are run.
        static let pages = [
            ("README.md", 1), ("docs/start/try-it-out.md", 1), ("docs/start/step-by-step.md", 12),
            ("docs/start/production.md", 10), ("docs/start/protect-an-upload.md", 9),
            ("docs/start/init.md", 4), ("docs/operate/callers.md", 7), ("docs/operate/backups.md", 4),
            ("docs/reference/command-line.md", 3), ("docs/reference/http.md", 4), ("docs/start/check-a-result.md", 14),
            ("docs/start/uploads-in-chunks.md", 8),
            // The last of pages that continue each other runs all of them.
            ("docs/start/captures-sealed.md", 44),
            ("docs/start/renew-and-revoke.md", 30),
            ("docs/operate/pkcs11.md", 10),
            ("docs/start/tls-client.md", 16),
            // That in Swift compiles swift-protobuf, which takes minutes: `make plugins-test` runs it.
            ("docs/extend/write-in-c.md", 9), ("docs/extend/write-in-python.md", 9),
            ("docs/extend/tutorial-in-a-daemon.md", 20),
        ]

        @Test("The steps of each page work", arguments: pages)
        func page(_ page: String, _ blocks: Int) async throws {
            let programs = URL(fileURLWithPath: try Child.built("assayd")).deletingLastPathComponent().path
            let ending = try await Child(
                "/bin/bash", [Package.path("dev/run-page.sh"), Package.path(page), programs], within: .seconds(1500)
            ).ending()
            if ending.status == 77 { return print(ending.out) }
            #expect(ending.status == 0, "\(ending)")
            #expect(ending.lines.last?.hasSuffix("\(page): \(blocks) blocks are as they say") == true, "\(ending)")
        }

        @Test("Wrong steps are found")
        func wrong() async throws {
            let folder = try TemporaryFolder()
            let programs = URL(fileURLWithPath: try Child.built("assayd")).deletingLastPathComponent().path
            for (text, words) in [
                ("```sh\ntrue\n```\n", ":1: a block without a mark"),
                ("<!-- run -->\n```sh\ntrue\nfalse\ntrue\n```\n", ":3: this is not as the page says"),
                ("<!-- run: refused -->\n```sh\ntrue # 1 no\n```\n", "want status 1"),
                ("<!-- run: refused -->\n```sh\nassay status # 65 nonsense: x\n```\n", "and nonsense"),
                ("<!-- run: status 2 -->\n```sh\n(exit 3)\n```\n", ":3: this is not as the page says"),
                ("<!-- run -->\n```sh\necho a; echo b\n```\n\n<!-- output -->\n```\na\n```\n", "printed: b"),
                ("<!-- run -->\n```sh\necho 1 a\n```\n\n<!-- output -->\n```\n… b\n```\n", ":8: this is not as the page says"),
                ("<!-- run: backwards -->\n```sh\ntrue\n```\n", "unknown mark"),
            ] {
                let page = try folder.write(text, to: "page.md")
                let ending = try await Child("/bin/bash", [Package.path("dev/run-page.sh"), page, programs]).ending()
                #expect(ending.status == 1 && ending.err.contains(words), "\(ending)")
            }
        }
    }
}
