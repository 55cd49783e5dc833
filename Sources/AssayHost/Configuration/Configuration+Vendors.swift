import AssayCore
import AssayFeeds
import Foundation

extension VendorSettings {
    /// A file of roots larger than this is none, in bytes.
    private static let rootsLimit = 1 << 20

    /// The section `vendors`.
    init(reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles) {
        self.init()
        guard let section = value?.section() else { return }
        if let time = section.optional("connect_timeout")?.milliseconds(in: 100...60_000) { connectMilliseconds = time }
        if let time = section.optional("timeout")?.milliseconds(in: 100...120_000) { totalMilliseconds = time }
        if let limit = section.optional("max_calls")?.integer(in: 1...1024) { callLimit = limit }
        for item in section.optional("extra_roots")?.list() ?? [] {
            guard let path = item.path(files) else { continue }
            guard let file = FileHandle(forReadingAtPath: path),
                let roots = try? file.read(upToCount: Self.rootsLimit + 1).map(Array.init), roots.count <= Self.rootsLimit,
                VendorClient.canTrust(roots)
            else {
                item.report("the file \(path) cannot be read, or holds no certificates in PEM")
                continue
            }
            extraRoots += roots + [UInt8(ascii: "\n")]
        }
        section.done()
    }
}
