/// What a plugin is and can do: the answer to Describe.
public struct PluginDescription: Sendable {
    /// `[a-z0-9-]{1,64}`: the name of the catalog's entry.
    public var name: String
    /// Of the plugin, for people: at most 64 bytes.
    public var version: String
    /// The formats that the plugin appraises, at most 16. Empty for a plugin that only observes.
    public var formats: [Format]
    /// The keys that the configuration may have at its top, at most 64. The daemon refuses others.
    public var configurationKeys: [ConfigurationKey]
    /// What the plugin asks of the host beside log and metrics. The catalog's entry has to allow each.
    public var hostServices: [HostService]
    /// Whether verdicts are sent to `observe`.
    public var observes: Bool

    public init(
        name: String, version: String, formats: [Format] = [], configurationKeys: [ConfigurationKey] = [],
        hostServices: [HostService] = [], observes: Bool = false
    ) {
        self.name = name
        self.version = version
        self.formats = formats
        self.configurationKeys = configurationKeys
        self.hostServices = hostServices
        self.observes = observes
    }
}

/// A key at the top of the configuration.
public struct ConfigurationKey: Sendable {
    public enum Kind: Int, Sendable {
        /// Any JSON value.
        case any = 0
        case text, integer, number, boolean, list, object
        /// The operator names a file, the plugin is given its content as text.
        case secretFile
    }

    /// `[a-z0-9_]{1,64}`
    public var name: String
    public var kind: Kind
    public var required: Bool
    /// A phrase for people.
    public var meaning: String

    public init(_ name: String, _ kind: Kind, required: Bool = false, _ meaning: String) {
        self.name = name
        self.kind = kind
        self.required = required
        self.meaning = meaning
    }
}

/// A service of the host that has to be declared.
public enum HostService: Int, Sendable {
    case findDevice = 1
    case findUsed, getAnchors, findFleetDevice, deriveKey
}
