import Foundation

/// Tools of other languages, as far as this machine has them.
enum LanguageTools {
    /// Whether the first python3 has pytest.
    static let hasPytest = succeeds("python3", ["-c", "import pytest"])
    static let hasNode = succeeds("node", ["--version"])

    private static func succeeds(_ program: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        if process.terminationStatus != 0 {
            print("There is no \(program) that does this: \(arguments.joined(separator: " "))")
        }
        return process.terminationStatus == 0
    }
}
