import AssayRPC
import Testing

@testable import AssayHTTP

@Suite("Timeouts of calls")
struct CallTimeoutTests {
    @Test(
        "grpc-timeout is a number with one of six units",
        arguments: [
            ("1H", Duration.seconds(3600)), ("2M", .seconds(120)), ("15S", .seconds(15)), ("250m", .milliseconds(250)),
            ("7u", .microseconds(7)), ("9n", .nanoseconds(9)), ("0n", .zero), ("00000001S", .seconds(1)),
            ("99999999H", .seconds(99_999_999 * 3600)), ("99999999n", .nanoseconds(99_999_999)),
        ])
    func grpc(_ text: String, _ timeout: Duration) throws {
        let read = try CallTimeout.grpc(text)
        #expect(read == timeout)
    }

    @Test(
        "another grpc-timeout is refused",
        arguments: [
            "", "S", "1", "1s", "1h", "1D", "1ms", "100000000S", "000000001S", "-1S", "+1S", "1.5S", "1 S", " 1S", "1S ", "1SS",
            "0x1S", "1e3S", "١S", "1\0S", "éS", "1é",
        ])
    func badGRPC(_ text: String) {
        #expect(throws: RPCError.badTimeout) { try CallTimeout.grpc(text) }
    }

    @Test(
        "connect-timeout-ms is a number of milliseconds",
        arguments: [
            ("0", Duration.zero), ("1", .milliseconds(1)), ("0000000012", .milliseconds(12)), ("5000", .seconds(5)),
            ("9999999999", .milliseconds(9_999_999_999)),
        ])
    func connect(_ text: String, _ timeout: Duration) throws {
        let read = try CallTimeout.connect(text)
        #expect(read == timeout)
    }

    @Test(
        "another connect-timeout-ms is refused",
        arguments: ["", "10000000000", "00000000001", "-1", "+1", "1.0", "1m", " 1", "1 ", "1e3", "١", "1,000"])
    func badConnect(_ text: String) {
        #expect(throws: RPCError.badTimeout) { try CallTimeout.connect(text) }
    }
}
