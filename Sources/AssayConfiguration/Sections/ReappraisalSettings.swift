import AssaySchemes

/// How fast registered devices are judged again: the section `reappraisal`.
package struct ReappraisalSettings: Hashable, Sendable {
    /// 0: they are not.
    package var devicesPerSecond = 1000

    package init() {}
}

extension ReappraisalSettings {
    init(reading value: ConfigurationReader.Value?) {
        self.init()
        guard let section = value?.section() else { return }
        devicesPerSecond = section.optional("devices_per_second")?.integer(in: 0...100_000) ?? devicesPerSecond
        section.done()
    }

    /// What is done, as a sentence.
    package var summary: String {
        devicesPerSecond == 0
            ? "does not judge registered devices again by itself"
            : "judges registered devices again after a change, \(devicesPerSecond) a second"
    }
}
