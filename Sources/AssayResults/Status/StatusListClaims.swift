package import AssayCore
import AssayEncoding

/// The claims of a status list token (draft-ietf-oauth-status-list §5).
package struct StatusListClaims: Hashable, Sendable {
    /// `sub`: the address of the list, exactly as it is `uri` in the tokens whose status it says.
    package var uri: String
    /// `iat` and `exp`, which are written as whole seconds.
    package var issuedAt: Timestamp
    package var expiry: Timestamp
    /// `ttl`: how long a reader may use it before it asks again, in seconds; above 0.
    package var timeToLive: Int64
    package var width: StatusList.Width
    /// `lst`: the list as ZLIB.
    package var compressed: [UInt8]

    package init(
        uri: String, issuedAt: Timestamp, expiry: Timestamp, timeToLive: Int64, width: StatusList.Width, compressed: [UInt8]
    ) {
        (self.uri, self.issuedAt, self.expiry, self.timeToLive) = (uri, issuedAt, expiry, timeToLive)
        (self.width, self.compressed) = (width, compressed)
    }

    /// The labels of the claims in a CWT (§14.2, RFC 8392 §3.1).
    enum Label {
        static let subject: Int64 = 2
        static let expiry: Int64 = 4
        static let issuedAt: Int64 = 6
        static let statusList: Int64 = 65533
        static let timeToLive: Int64 = 65534
    }

    private static func seconds(_ time: Timestamp) -> Int64 { time.unixMilliseconds / 1000 }

    /// The claims as JSON.
    var json: [UInt8] {
        func number(_ value: Int64) -> JSONValue { .number(Array("\(value)".utf8)[...]) }
        func member(_ name: String, _ value: JSONValue) -> JSONObject.Member { .init(name: Array(name.utf8), value: value) }
        let list = JSONObject([
            member("bits", number(Int64(width.rawValue))),
            member("lst", .string(Array(Base64.url.encode(compressed).utf8))),
        ])
        return JSONValue.object(
            JSONObject([
                member("sub", .string(Array(uri.utf8))), member("iat", number(Self.seconds(issuedAt))),
                member("exp", number(Self.seconds(expiry))), member("ttl", number(timeToLive)),
                member("status_list", .object(list)),
            ])
        ).text
    }

    /// The claims as CBOR.
    var cbor: [UInt8] {
        let list = CBORWriter.map([
            (CBORWriter.text("bits"), CBORWriter.integer(Int64(width.rawValue))),
            (CBORWriter.text("lst"), CBORWriter.bytes(compressed)),
        ])
        return CBORWriter.map([
            (CBORWriter.integer(Label.subject), CBORWriter.text(uri)),
            (CBORWriter.integer(Label.expiry), CBORWriter.integer(Self.seconds(expiry))),
            (CBORWriter.integer(Label.issuedAt), CBORWriter.integer(Self.seconds(issuedAt))),
            (CBORWriter.integer(Label.timeToLive), CBORWriter.integer(timeToLive)),
            (CBORWriter.integer(Label.statusList), list),
        ])
    }
}
