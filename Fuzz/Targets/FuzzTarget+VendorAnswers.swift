import AssayCore
import AssayVendors
import DeviceCheck

extension FuzzTarget {
    /// The bytes as the body of an answer, with each status that is treated differently, and as the value of each header.
    static func vendorAnswers(_ bytes: [UInt8]) {
        let text = String(decoding: bytes.prefix(1024), as: UTF8.self)
        var headers = VendorAnswer.Headers()
        headers.cacheControl = text
        headers.age = text
        headers.retryAfter = text
        _ = headers.retryAfterMilliseconds(at: now)
        _ = CacheRule(headers, at: now, bounds: 60_000...86_400_000)
        headers.cacheControl = "max-age=" + text
        _ = CacheRule(headers, at: now, bounds: 60_000...86_400_000)
        for status in [200, 304, 400, 401, 404, 429, 500] {
            let answer = VendorAnswer(status: status, headers: headers, body: bytes)
            _ = DeviceCheckAnswer(answer)
            _ = ReceiptAnswer(answer, at: now)
        }
        _ = Facts(decoding: bytes)
        _ = Recording(decoding: bytes)
        _ = RecordedEvidence(decoding: bytes)
        _ = GoogleBearer(bytes)
    }
}
