import Crypto
import Glibc

/// The files of a plugin in an interpreted language: all of one folder.
enum PluginFolder {
    /// Files of one folder.
    static let fileLimit = 10_000
    /// Folders one inside the other.
    static let depthLimit = 32
    /// Bytes of all files together.
    static let sizeLimit = 256 << 20

    /// Where the files of a folder go while they are hashed.
    protocol Sink {
        mutating func folder(_ name: String) throws(PluginFileError)
        mutating func begin(_ name: String) throws(PluginFileError)
        mutating func write(_ bytes: ArraySlice<UInt8>) throws(PluginFileError)
        mutating func end(_ name: String, sha256: [UInt8]) throws(PluginFileError)
    }

    /// Reads every file of a folder, in the order of their names, and hands it over as it is hashed.
    static func read(_ path: String, owner: TrustedFile.Owner, into sink: inout some Sink) throws(PluginFileError) {
        let folder = try TrustedFile(path, owner: owner)
        guard folder.isFolder else { throw PluginFileError(path, "is no folder") }
        var walk = Walk(root: path, owner: owner)
        try walk.read(folder, "", depth: 0, into: &sink)
        guard walk.files > 0 else { throw PluginFileError(path, "has no files") }
    }

    private struct Walk {
        let root: String
        let owner: TrustedFile.Owner
        var files = 0
        var bytes = 0

        mutating func read(
            _ folder: TrustedFile, _ prefix: String, depth: Int, into sink: inout some Sink
        ) throws(PluginFileError) {
            let path = prefix.isEmpty ? root : root + "/" + prefix
            guard depth < PluginFolder.depthLimit else {
                throw PluginFileError(path, "is deeper than \(PluginFolder.depthLimit) folders")
            }
            for name in try folder.names(path) {
                let (below, place) = (prefix.isEmpty ? name : prefix + "/" + name, path + "/" + name)
                guard name != "__pycache__" else {
                    throw PluginFileError(place, "is made by Python and changes: delete it, and start Python with -B")
                }
                let found = try TrustedFile(name, in: folder, path: place, owner: owner)
                if found.isFolder {
                    try sink.folder(below)
                    try read(found, below, depth: depth + 1, into: &sink)
                } else {
                    try read(found, below, place, into: &sink)
                }
            }
        }

        private mutating func read(
            _ file: TrustedFile, _ name: String, _ path: String, into sink: inout some Sink
        ) throws(PluginFileError) {
            files += 1
            guard files <= PluginFolder.fileLimit else {
                throw PluginFileError(root, "has more than \(PluginFolder.fileLimit) files")
            }
            try sink.begin(name)
            var hash = SHA256()
            var size = bytes
            try file.read(path) { (chunk) throws(PluginFileError) in
                size += chunk.count
                guard size <= PluginFolder.sizeLimit else {
                    throw PluginFileError(root, "has more than \(PluginFolder.sizeLimit >> 20) MiB")
                }
                hash.update(data: chunk)
                try sink.write(chunk)
            }
            bytes = size
            try sink.end(name, sha256: Array(hash.finalize()))
        }
    }

    /// Only the digests.
    struct Digests: Sink {
        var files: [String: [UInt8]] = [:]
        mutating func folder(_ name: String) {}
        mutating func begin(_ name: String) {}
        mutating func write(_ bytes: ArraySlice<UInt8>) {}
        mutating func end(_ name: String, sha256: [UInt8]) { files[name] = sha256 }
    }
}
