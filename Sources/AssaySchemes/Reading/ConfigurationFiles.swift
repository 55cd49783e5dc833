package import AssayCertificates
import AssayCore

/// Files that a configuration names, relative to its folder.
package struct ConfigurationFiles {
    /// A root certificate in PEM is not larger, in bytes.
    private static let anchorLimit = 64 << 10

    package let folder: String

    package init(folder: String) { self.folder = folder }

    package func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

    /// The root certificate in the PEM file that `value` names.
    package func anchor(_ value: ConfigurationReader.Value, simulated: Bool) -> TrustAnchor? {
        guard let path = value.path(self), let name = value.text() else { return nil }
        let bytes: [UInt8]
        do throws(BoundedFileError) {
            bytes = try BoundedFile.read(path, atMost: Self.anchorLimit, isRegular: true)
        } catch {
            value.report("the file \(path) \(error)")
            return nil
        }
        do throws(Rejection) {
            return try TrustAnchor(name: name, pem: String(decoding: bytes, as: UTF8.self), simulated: simulated)
        } catch {
            value.report("\(resolve(name)): \(error.detail)")
            return nil
        }
    }
}
