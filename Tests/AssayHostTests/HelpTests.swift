import Foundation
import Testing

extension ProcessTests {
    @Suite("Help")
    struct HelpTests {
        /// A line of a paragraph ends where the next word would not fit any more, and nowhere else. Lines that are set by
        /// hand, such as tables, are passed over.
        private static func raggedLines(_ help: String, columns: Int) -> [String] {
            let lines = help.components(separatedBy: "\n").prefix { !$0.hasPrefix("USAGE") }
            return zip(lines, lines.dropFirst()).compactMap { line, next in
                let isByHand = [line, next].contains { $0.hasPrefix(" ") || $0.contains("  ") }
                guard !line.isEmpty, !isByHand, let word = next.split(separator: " ").first else { return nil }
                return line.count + 1 + word.count < columns ? line : nil
            }
        }

        @Test("fills its lines, in a window of any width", arguments: [80, 120])
        func paragraphs(_ columns: Int) async throws {
            let commands: [(String, [String])] = [
                ("assay", []), ("assay", ["verify"]), ("assay", ["device"]), ("assay", ["device", "block"]),
                ("assay", ["device", "forget"]), ("assay", ["device", "import"]), ("assay", ["inspect"]),
                ("assay", ["conformance"]), ("assay", ["audit", "export"]), ("assay", ["audit", "claims"]),
                ("assay", ["feeds", "load"]), ("assay", ["simulate"]), ("assay", ["simulate", "session"]),
                ("assay", ["simulate", "android", "make"]), ("assay", ["simulate", "android", "play-token"]),
                ("assayd", []), ("assayd", ["forget-challenges"]),
            ]
            for (product, command) in commands {
                let help = try await Child.run(
                    product, command + ["--help"], environment: ["COLUMNS": String(columns)])
                #expect(help.status == 0)
                #expect(Self.raggedLines(help.out, columns: columns) == [], "\(product) \(command)")
            }
        }

        @Test("names the algorithms of a signature as they are given")
        func algorithms() async throws {
            let help = try await Child.run("assay", ["verify", "--help"], environment: ["COLUMNS": "120"])
            #expect(help.out.contains("(values: ecdsa-p256-sha256,"), "\(help.out)")
        }
    }
}
