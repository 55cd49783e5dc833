import AssayCertificates
import AssayCore
import Foundation

/// Files that a configuration names, relative to its folder.
struct ConfigurationFiles {
    let folder: String

    func resolve(_ path: String) -> String { path.hasPrefix("/") ? path : folder + "/" + path }

    /// The root certificate in the PEM file that `value` names.
    func anchor(_ value: ConfigurationReader.Value, simulated: Bool) -> TrustAnchor? {
        guard let name = value.text() else { return nil }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: resolve(name))) else {
            value.report("the file \(resolve(name)) cannot be read")
            return nil
        }
        do throws(Rejection) {
            return try TrustAnchor(name: name, pem: String(decoding: data, as: UTF8.self), simulated: simulated)
        } catch {
            value.report("\(resolve(name)): \(error.detail)")
            return nil
        }
    }
}
