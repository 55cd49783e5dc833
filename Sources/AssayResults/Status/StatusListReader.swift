import AssayCompression
package import AssayCore

/// Reads status lists and checks them (draft-ietf-oauth-status-list §8.3): against the issuer's keys, the address that a result names, and the time. Both forms
/// are read, told apart by their first byte.
///
/// It takes what this package writes, and is stricter than the text demands: headers have no other members.
package struct StatusListReader: Sendable {
    /// The longest token, in bytes: a list of 2^20 statuses of 4 bits, none like the other, as a JWT.
    package static let sizeLimit = 1 << 20
    /// The longest list, in bytes, once it is inflated.
    package static let listLimit = 1 << 20

    private let keys: JSONWebKeySet

    /// - Parameter keys: of the one issuer whose lists are read.
    package init(keys: JSONWebKeySet) { self.keys = keys }

    /// - Parameters:
    ///   - uri: what the result names; `sub` must be exactly that.
    ///   - tolerance: how far the clocks of reader and issuer may differ, in milliseconds.
    package func read(
        _ token: [UInt8], of uri: String, at now: Timestamp, tolerance: Int64 = 0
    ) throws(ResultFault) -> VerifiedStatusList {
        let opened = try OpenedStatusList(token, by: keys)
        guard opened.uri.hasBytes(of: uri) else { throw ResultFault(.wrongClaim, "sub", "is not \(uri)") }
        let issuedAt = Timestamp(unixSeconds: opened.issuedAt)
        guard issuedAt <= now.adding(milliseconds: tolerance) else {
            throw ResultFault(.notYetValid, "iat", "is \(issuedAt), now is \(now)")
        }
        let expiresAt = opened.expiresAt.map { Timestamp(unixSeconds: $0) }
        if let expiresAt, expiresAt <= now.adding(milliseconds: -tolerance) {
            throw ResultFault(.expired, "exp", "ended at \(expiresAt), now is \(now)")
        }
        if let time = opened.timeToLive, time <= 0 { throw ResultFault(.wrongClaim, "ttl", "is not above 0") }
        guard let width = Int(exactly: opened.bits).flatMap(StatusList.Width.init(rawValue:)) else {
            throw ResultFault(.wrongClaim, "status_list.bits", "is none of 1, 2, 4 and 8")
        }
        return VerifiedStatusList(
            uri: uri, keyIdentifier: opened.key.thumbprint, issuedAt: issuedAt, expiresAt: expiresAt,
            timeToLive: opened.timeToLive, list: try Self.inflate(opened.compressed, width))
    }

    private static func inflate(_ compressed: [UInt8], _ width: StatusList.Width) throws(ResultFault) -> StatusList {
        do throws(InflationError) {
            return try StatusList(width, compressed: compressed, limit: listLimit)
        } catch {
            switch error {
            case .malformed: throw ResultFault(.malformed, "status_list.lst", "is not ZLIB")
            case .tooLong: throw ResultFault(.tooLarge, "status_list.lst", "more than \(listLimit) bytes")
            case .outOfMemory: throw ResultFault(.tooLarge, "status_list.lst", "more than there is memory for")
            }
        }
    }
}

/// A status list that is its issuer's and good now. Only ``StatusListReader`` makes one.
package struct VerifiedStatusList: Sendable {
    package let uri: String
    /// RFC 7638 thumbprint of the key that signed it, 32 bytes.
    package let keyIdentifier: [UInt8]
    package let issuedAt: Timestamp
    /// `nil`: it does not say.
    package let expiresAt: Timestamp?
    /// How long it may be used without asking again, in seconds; `nil`: it does not say.
    package let timeToLive: Int64?
    package let list: StatusList

    fileprivate init(
        uri: String, keyIdentifier: [UInt8], issuedAt: Timestamp, expiresAt: Timestamp?, timeToLive: Int64?, list: StatusList
    ) {
        (self.uri, self.keyIdentifier, self.issuedAt, self.expiresAt) = (uri, keyIdentifier, issuedAt, expiresAt)
        (self.timeToLive, self.list) = (timeToLive, list)
    }

    /// The status of a result. An index behind the end of the list is a fault: nothing is known of such a result.
    package func status(of reference: ResultStatusReference) throws(ResultFault) -> StatusValue {
        guard reference.uri.hasBytes(of: uri) else { throw ResultFault(.wrongClaim, "status_list.uri", "is not \(uri)") }
        guard reference.index < list.count else {
            throw ResultFault(.wrongClaim, "status_list.idx", "is \(reference.index), and the list has \(list.count) places")
        }
        return StatusValue(list[Int(reference.index)])
    }
}

/// A status (draft-ietf-oauth-status-list §7.1).
package enum StatusValue: Hashable, Sendable, CustomStringConvertible {
    case valid
    /// For good.
    case invalid
    /// For now.
    case suspended
    /// One that is not known here, such as those that are an application's own.
    case other(UInt8)

    init(_ value: UInt8) {
        switch value {
        case 0: self = .valid
        case 1: self = .invalid
        case 2: self = .suspended
        default: self = .other(value)
        }
    }

    package var description: String {
        switch self {
        case .valid: "valid"
        case .invalid: "invalid"
        case .suspended: "suspended"
        case .other(let value): "unknown (\(value))"
        }
    }
}
