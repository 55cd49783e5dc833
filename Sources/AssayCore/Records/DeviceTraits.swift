/// What evidence says of the device that it came from, as far as rejections are grouped by it. None of it names a device or a person.
package struct DeviceTraits: Hashable, Sendable {
    /// The most of each text, in bytes of UTF-8.
    package static let limit = 64

    package var platform: DevicePlatform?
    /// Empty if the evidence does not say, as the others.
    package var model = ""
    package var osVersion = ""
    package var appVersion = ""

    package init() {}

    package init(platform: DevicePlatform?, model: String, osVersion: String, appVersion: String) {
        self.platform = platform
        (self.model, self.osVersion, self.appVersion) = (Self.cut(model), Self.cut(osVersion), Self.cut(appVersion))
    }

    package var isEmpty: Bool { platform == nil && model.isEmpty && osVersion.isEmpty && appVersion.isEmpty }

    /// - Parameter sources: claims of authentic evidence. What the first does not say is read from the next.
    package init(_ sources: [Claims], platform: DevicePlatform? = nil) {
        func first(_ names: [String]) -> String {
            for claims in sources {
                for name in names {
                    if let text = claims.statement(name), !text.isEmpty { return text }
                }
            }
            return ""
        }
        let stated = DevicePlatform(rawValue: first(["platform"]))
        self.init(
            platform: platform ?? stated, model: first(Self.models), osVersion: first(Self.systems),
            appVersion: first(Self.versions))
    }

    private static let lists = ["hardware_enforced.", "software_enforced."]
    private static let models = ["model"] + lists.map { $0 + "model" }
    private static let systems = ["os_version"] + lists.map { $0 + "os_version" } + ["sdk_version"]
    private static let versions =
        ["bundle_version", "version_code"] + lists.map { $0 + "attestation_application_id.packages.version" }

    private static func cut(_ text: String) -> String {
        var visible = text.visible
        while visible.utf8.count > limit { visible.removeLast() }
        return visible
    }
}

extension Claims {
    /// What a claim says, as text; of several pieces of evidence, what the first says that has it.
    fileprivate func statement(_ name: String) -> String? {
        let value = self[name] ?? all.first { $0.name.hasSuffix("/" + name) }?.value
        return switch value {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case .texts(let texts): texts.first
        case .bytes(let bytes): String(validating: bytes, as: UTF8.self)
        case .boolean, .time, nil: nil
        }
    }
}

/// The stored form, in the record of a verdict.
extension StoredFieldsWriter {
    mutating func add(_ traits: DeviceTraits) {
        add(traits.platform?.rawValue ?? "")
        add(traits.model)
        add(traits.osVersion)
        add(traits.appVersion)
    }
}

extension DeviceTraits {
    init?(_ stored: StoredFieldsReader) {
        var reader = stored
        guard let platform = reader.text(), let model = reader.text(), let os = reader.text(), let app = reader.text(),
            reader.isAtEnd, platform.isEmpty || DevicePlatform(rawValue: platform) != nil
        else { return nil }
        self.init(platform: DevicePlatform(rawValue: platform), model: model, osVersion: os, appVersion: app)
    }
}
