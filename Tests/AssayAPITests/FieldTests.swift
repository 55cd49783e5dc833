import AssayAPI
import AssayCore
import Foundation
import Testing

@Suite("Field")
struct FieldTests {
    @Test("of bytes is read up to its bound, whatever slice it is")
    func bounded() throws {
        let slice = Data([0, 1, 2, 3]).dropFirst(2)
        #expect(try slice.bounded("f", by: 2) == [2, 3])
        #expect(throws: RequestError("f", "must have at most 1 bytes, not 2")) { try slice.bounded("f", by: 1) }
    }

    @Test("of a device id must have 16 bytes", arguments: [0, 15, 17])
    func deviceID(_ count: Int) {
        #expect(throws: RequestError("device_id", "must have 16 bytes, not \(count)")) {
            try DeviceID(field: "device_id", Data(count: count, of: 1))
        }
    }

    @Test("of an app must be of the form")
    func app() throws {
        #expect(try AppID(field: "a-b_c.9").text == "a-b_c.9")
        #expect(throws: RequestError("app", "must be of the form [a-z0-9._-]{1,64}")) { try AppID(field: "A") }
    }
}
