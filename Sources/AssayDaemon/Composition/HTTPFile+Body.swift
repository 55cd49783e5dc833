import AssayCore
import AssayHTTP
import Crypto

extension HTTPFile {
    /// A file whose entity tag is made of its body.
    ///
    /// - Parameter seconds: how long a cache may keep it.
    init(_ contentType: String, _ body: [UInt8], maxAge seconds: Int64) {
        self.init(
            contentType: contentType, body: body, etag: "\"\(Hex.encode(Array(SHA256.hash(data: body).prefix(16))))\"",
            maxAge: .seconds(seconds))
    }
}
