import AssayCore
import AssayService
import AssayVendors
import Foundation

extension VendorSettings {
    /// A file of roots larger than this is none, in bytes.
    private static let rootsLimit = 1 << 20

    /// The most calls under way that may be asked for.
    private static let mostCalls = 8192

    /// The section `vendors`.
    init(reading value: ConfigurationReader.Value?, _ files: ConfigurationFiles) {
        self.init()
        guard let section = value?.section() else { return }
        if let time = section.optional("connect_timeout")?.milliseconds(in: 100...60_000) { connectMilliseconds = time }
        if let time = section.optional("timeout")?.milliseconds(in: 100...120_000) { totalMilliseconds = time }
        if section.optional("timeout") != nil, connectMilliseconds > totalMilliseconds {
            section.optional("connect_timeout")?.report("it says nothing where it is longer than \"timeout\"")
        }
        if let limit = section.optional("max_calls")?.integer(in: 1...Self.mostCalls) { callLimit = limit }
        for item in section.optional("extra_roots")?.list() ?? [] {
            guard let path = item.path(files) else { continue }
            do throws(BoundedFileProblem) {
                let roots = try BoundedFile.read(path, atMost: Self.rootsLimit, isRegular: true)
                guard VendorClient.canTrust(roots) else {
                    item.report("the file \(path) cannot be read, or holds no certificates in PEM")
                    continue
                }
                extraRoots += roots + [UInt8(ascii: "\n")]
            } catch {
                item.report("the file \(path) cannot be read, or holds no certificates in PEM: it \(error)")
            }
        }
        section.done()
    }

    /// Makes sure of a share of the calls for each app that asks vendors about evidence, and one for what the daemon asks by
    /// itself.
    ///
    /// - Parameter value: the section, where there is one.
    mutating func makeRoom(for apps: Int, _ value: ConfigurationReader.Value?) {
        guard apps > 0, callLimit <= apps else { return }
        if let limit = value?.at("max_calls") {
            limit.report(
                "want at least \(apps + 1): one for each app that has Apple or Google asked about evidence, and one for what "
                    + "the daemon asks by itself")
        }
        callLimit = apps + 1
    }
}

extension Configuration {
    /// What each of the apps may have of the questions to vendors.
    var inquiryShare: InquiryShare {
        InquiryShare(apps: apps.count(where: \.asksVendors), callLimit: vendors.callLimit)
    }
}

extension Configuration.App {
    /// Whether vendors are asked about evidence while the caller waits.
    var asksVendors: Bool { deviceCheck != nil || playIntegrity?.google != nil }
}
