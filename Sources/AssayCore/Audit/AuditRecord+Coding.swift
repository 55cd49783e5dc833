/// The canonical bytes of a record (`docs/audit.md`): version 1, purpose, assurance and flags (bit 0: simulated), one byte each; then
/// request id, caller, app, device (empty if there is none), evidence digest, policy digest and claims digest (empty if no claims are
/// kept), each behind its length as a big-endian u32. Each record has exactly one encoding.
extension AuditRecord {
    static let version: UInt8 = 1

    static func encode(_ fields: [[UInt8]], _ purpose: Purpose, _ assurance: Assurance, _ simulated: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(fields.reduce(4) { $0 + 4 + $1.count })
        bytes += [version, purpose.rawValue, assurance.rawValue, simulated ? 1 : 0]
        for field in fields { bytes.append(field: field) }
        return bytes
    }

    /// Decodes a record. `nil` for all other bytes, a later version included.
    public init?(decoding bytes: [UInt8]) {
        var rest = bytes[...]
        guard rest.popFirst() == Self.version, let purpose = rest.popFirst().flatMap(Purpose.init(rawValue:)),
            let assurance = rest.popFirst().flatMap(Assurance.init(rawValue:)), let flags = rest.popFirst(), flags <= 1,
            let requestID = rest.takeField(), let caller = rest.takeTextField(),
            let app = rest.takeTextField().flatMap(AppID.init), let device = rest.takeField(),
            let evidenceDigest = rest.takeField(), let policyDigest = rest.takeField(),
            let claimsDigest = rest.takeField(), rest.isEmpty
        else { return nil }
        let id = DeviceID(bytes: device)
        guard id != nil || device.isEmpty else { return nil }
        self.init(
            requestID: requestID, caller: caller, app: app, purpose: purpose, device: id, assurance: assurance,
            evidenceDigest: evidenceDigest, policyDigest: policyDigest, simulated: flags == 1,
            claimsDigest: claimsDigest)
    }
}

extension [UInt8] {
    /// Appends a field: its length as a big-endian u32, then its bytes.
    mutating func append(field: [UInt8]) {
        Swift.withUnsafeBytes(of: UInt32(truncatingIfNeeded: field.count).bigEndian) { append(contentsOf: $0) }
        self += field
    }
}

extension ArraySlice<UInt8> {
    /// Removes a field from the front and returns its bytes; `nil` if its length, a big-endian u32, is cut or exceeds the rest.
    mutating func takeField() -> [UInt8]? {
        let head = prefix(4)
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard head.count == 4, length <= count - 4 else { return nil }
        self = dropFirst(4)
        defer { self = dropFirst(length) }
        return Array(prefix(length))
    }

    /// Removes a field from the front and returns its text; `nil` also if it is not UTF-8.
    mutating func takeTextField() -> String? { takeField().flatMap { String(validating: $0, as: UTF8.self) } }
}
