import AssayCore
import Testing

@testable import AssayVendors

@Suite("Retry-After")
struct RetryAfterTests {
    private static let now = Timestamp(unixSeconds: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(
        "Seconds and dates are read, never as a time in the past",
        arguments: [
            ("0", 0), ("120", 120_000), ("99999999999999999999999", Int64.max), ("9223372036854775807", Int64.max),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:50:37 GMT", 60_000),
            ("Sat, 05 Nov 1994 08:49:37 GMT", 0),
        ])
    func good(_ text: String, milliseconds: Int64) {
        var headers = VendorAnswer.Headers()
        headers.retryAfter = text
        #expect(headers.retryAfterMilliseconds(at: Self.now) == milliseconds)
    }

    @Test(
        "Other values are ignored",
        arguments: [
            "", "-1", "1.5", "soon", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 6 Nov 1994 08:49:37 GMT",
        ])
    func bad(_ text: String) {
        var headers = VendorAnswer.Headers()
        headers.retryAfter = text
        #expect(headers.retryAfterMilliseconds(at: Self.now) == nil)
    }
}
