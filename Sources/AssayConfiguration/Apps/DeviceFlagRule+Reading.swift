import AssayCore
import AssaySchemes

extension DeviceFlagRule {
    /// The section `apps.<app>.device`.
    init(readingDevice value: ConfigurationReader.Value) {
        let section = value.section()
        let flags = section.optional("flags")?.section()
        var rejected: [String] = []
        if let list = flags?.optional("reject") {
            let values = list.list() ?? []
            if values.isEmpty { list.report("want at least one name of a flag; leave the section out to reject none") }
            if values.count > Self.nameLimit { list.report("\(values.count) names, want at most \(Self.nameLimit)") }
            for value in values {
                guard let name = value.text() else { continue }
                guard DeviceFlag.isName(name) else {
                    value.report("want the name of a flag: [a-z0-9_]{1,32}, such as counter_gap, have \"\(name.prefix(40))\"")
                    continue
                }
                rejected.append(name)
            }
        }
        flags?.done()
        section.done()
        self.init(rejected: rejected)
    }

    /// What is refused, as a sentence; `nil`: nothing.
    var summary: String? { rejected.isEmpty ? nil : "rejects devices with a flag of \(rejected.joined(separator: ", "))" }
}
