/// The canonical bytes of a change (`docs/audit.md`): version 2, kind, origin and flags (bit 0), one byte each; then caller, app,
/// device, target, digest (each empty if there is none), count (8 bytes, big-endian), name and reason, each behind its length as a
/// big-endian u32. Each change has exactly one encoding.
extension AuditChange {
    static let version: UInt8 = 2

    static func encode(
        _ kind: Kind, _ origin: ChangeOrigin, flag: Bool, _ app: AppID?, _ device: DeviceID?, _ target: Target?,
        _ digest: [UInt8], _ count: Int64, _ name: String, _ reason: String
    ) -> [UInt8] {
        var bytes = [version, kind.rawValue, origin.code, flag ? 1 : 0]
        let fields = [
            Array((origin.caller ?? "").utf8), Array((app?.text ?? "").utf8), device?.bytes ?? [], target?.bytes ?? [], digest,
            withUnsafeBytes(of: count.bigEndian) { Array($0) }, Array(name.utf8), Array(reason.utf8),
        ]
        for field in fields { bytes.append(field: field) }
        return bytes
    }

    /// Decodes a change. `nil` for all other bytes, a later version or kind included.
    public init?(decoding bytes: [UInt8]) {
        var rest = bytes[...]
        guard rest.popFirst() == Self.version, let kind = rest.popFirst().flatMap(Kind.init(rawValue:)),
            let code = rest.popFirst(), let flags = rest.popFirst(), flags <= 1,
            let caller = rest.takeTextField(), let origin = ChangeOrigin(code, caller: caller),
            let appText = rest.takeTextField(), let deviceBytes = rest.takeField(), let targetBytes = rest.takeField(),
            let digest = rest.takeField(), [0, 32].contains(digest.count),
            let count = rest.takeField(), count.count == 8,
            let name = rest.takeTextField(), let reason = rest.takeTextField(), rest.isEmpty
        else { return nil }
        let (app, device, target) = (AppID(appText), DeviceID(bytes: deviceBytes), Target(targetBytes))
        guard app != nil || appText.isEmpty, device != nil || deviceBytes.isEmpty, target != nil || targetBytes.isEmpty
        else { return nil }
        self.init(
            kind, origin, app: app, device: device, target: target, digest: digest,
            count: Int64(bitPattern: count.reduce(0) { $0 << 8 | UInt64($1) }), flag: flags == 1, name: name, reason: reason)
    }
}

extension AuditChange.Target {
    /// The raw value of `BlockKind`, 1 byte, then the subject's keyed hash or the key id.
    fileprivate var bytes: [UInt8] {
        switch self {
        case .subject(let hash): [BlockKind.subject.rawValue] + hash
        case .key(let id): [BlockKind.key.rawValue] + id
        }
    }

    fileprivate init?(_ bytes: [UInt8]) {
        switch bytes.first.flatMap(BlockKind.init(rawValue:)) {
        case .subject: self = .subject(Array(bytes.dropFirst()))
        case .key: self = .key(Array(bytes.dropFirst()))
        case .device, nil: return nil
        }
    }
}
