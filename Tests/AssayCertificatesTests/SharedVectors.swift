import Foundation

/// The shared collection of vectors; `nil` if it is not checked out.
enum SharedVectors {
    static let folder: URL? = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["ASSAY_VECTORS"].map { URL(filePath: $0) }
        let candidates = [named, package.appending(path: "../shared/vectors")].compactMap { $0 }
        let found = candidates.first { FileManager.default.fileExists(atPath: $0.appending(path: "roots").path) }
        if found == nil { print("The vectors are not here (set ASSAY_VECTORS); the suites that need them are skipped.") }
        return found
    }()

    static func text(_ path: String) -> String? {
        folder.flatMap { try? String(contentsOf: $0.appending(path: path), encoding: .utf8) }
    }

    static func files(_ path: String) -> [URL] {
        guard let folder else { return [] }
        let found = try? FileManager.default.contentsOfDirectory(
            at: folder.appending(path: path), includingPropertiesForKeys: nil)
        return (found ?? []).sorted { $0.path < $1.path }
    }
}
