package import AssayCore

/// A trustworthiness vector (draft-ietf-rats-ar4si-09 §3.1): what was found out about eight aspects of the device.
package struct TrustVector: Hashable, Sendable {
    /// The aspects. Raw values are the keys in CBOR.
    package enum Entry: Int, CaseIterable, Sendable {
        case instanceIdentity, configuration, executables, fileSystem, hardware, runtimeOpaque, storageOpaque, sourcedData

        /// The name in JSON.
        package var name: StaticString {
            switch self {
            case .instanceIdentity: "instance-identity"
            case .configuration: "configuration"
            case .executables: "executables"
            case .fileSystem: "file-system"
            case .hardware: "hardware"
            case .runtimeOpaque: "runtime-opaque"
            case .storageOpaque: "storage-opaque"
            case .sourcedData: "sourced-data"
            }
        }
    }

    /// The classes of values. Raw values are those of `ear_status` in CBOR; a greater one is worse.
    package enum Tier: Int64, CaseIterable, Comparable, Sendable {
        case none = 0
        case affirming = 2
        case warning = 32
        case contraindicated = 96

        /// `ear_status` in JSON.
        package var name: StaticString {
            switch self {
            case .none: "none"
            case .affirming: "affirming"
            case .warning: "warning"
            case .contraindicated: "contraindicated"
            }
        }

        /// The tier of a value (§3.1.2).
        package init(of value: Int8) {
            switch value {
            case -1...1: self = .none
            case 2...31, -32 ... -2: self = .affirming
            case 32...95, -96 ... -33: self = .warning
            default: self = .contraindicated
            }
        }

        package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// The value of each entry; 0: no claim is made.
    private var values = SIMD8<Int8>()

    package private(set) subscript(entry: Entry) -> Int8 {
        get { values[entry.rawValue] }
        set { values[entry.rawValue] = newValue }
    }

    /// `ear_status`: the worst tier of all entries.
    package var status: Tier { values.indices.reduce(.none) { max($0, Tier(of: values[$1])) } }

    /// What is written: the entries for which a claim is made, in the order of their keys. A vector is never empty (draft-ietf-rats-ear-04
    /// §3.1), so one without claims has its first entry, with 0: that is the same as no claim (§3.1.2).
    package var stated: [Entry] {
        let stated = Entry.allCases.filter { self[$0] != 0 }
        return stated.isEmpty ? [.instanceIdentity] : stated
    }
}

extension TrustVector {
    /// The one table from evidence to vector; docs/reference/results.md says why. It rests on what every acceptance of such evidence means, under any
    /// policy, and never says more than the assurance, which is the weakest of all pieces.
    package init(formats: [EvidenceFormat], assurance: Assurance) {
        let scope = formats.reduce(EvidenceScope()) { $0.union($1.scope ?? []) }
        if scope.contains(.device) { self[.instanceIdentity] = Value.recognised }
        switch assurance {
        case .secureElement, .hardware:
            if scope.contains(.system) { self[.executables] = Value.approvedAtBoot }
            if scope.contains(.hardware) { self[.hardware] = Value.genuine }
            self[.storageOpaque] = Value.keysInHardware
        case .platform:
            if scope.contains(.system) { self[.executables] = Value.approvedAtBoot }
        case .software, .none:
            if scope.contains(.system) { self[.executables] = Value.unrecognised }
            self[.storageOpaque] = Value.keysInSoftware
        }
    }

    /// Of draft-ietf-rats-ar4si-09 §3.1.4.
    private enum Value {
        /// `instance-identity`: recognised, and not known to be compromised.
        static let recognised: Int8 = 2
        /// `executables`: only approved ones were loaded when the device was booted.
        static let approvedAtBoot: Int8 = 3
        /// `executables`: there are some that are not recognised.
        static let unrecognised: Int8 = 33
        /// `hardware`: genuine.
        static let genuine: Int8 = 2
        /// `storage-opaque`: secrets are encrypted with keys in an HSM or TEE.
        static let keysInHardware: Int8 = 2
        /// `storage-opaque`: secrets are encrypted, and not with keys in hardware.
        static let keysInSoftware: Int8 = 32
    }
}
