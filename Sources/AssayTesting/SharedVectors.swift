package import Foundation

/// The shared collection of vectors.
package enum SharedVectors {
    /// `nil` if the collection is not checked out.
    package static func folder(_ name: String) -> URL? {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["ASSAY_VECTORS"].map { URL(filePath: $0) }
        let found = [named, package.appending(path: "../shared/vectors")].compactMap { $0?.appending(path: name) }
            .first { FileManager.default.fileExists(atPath: $0.path) }
        if found == nil { print("The vectors are not here (set ASSAY_VECTORS); the suites that need them are skipped.") }
        return found
    }
}
