import Foundation

/// A line for the driver.
struct DriverLine: Sendable {
    let id: Int
    let method: String
    let options: DriverOptions
    /// The JSON of the request.
    let request: [UInt8]

    struct Malformed: Error {}

    init(_ text: String) throws {
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
            let id = object["id"] as? Int, let method = object["method"] as? String
        else { throw Malformed() }
        (self.id, self.method) = (id, method)
        let options = try JSONSerialization.data(withJSONObject: object["options"] ?? [String: Any]())
        self.options = try JSONDecoder().decode(DriverOptions.self, from: options)
        request = Array(try JSONSerialization.data(withJSONObject: object["request"] ?? [String: Any]()))
    }
}

/// The options of a line, as clients/conformance/README.md lists them. Those that `AssayClient` does not have are not read.
struct DriverOptions: Decodable, Sendable {
    let url: String
    let apiKey: String?
    let caFile: String?
    let certificateFile: String?
    let keyFile: String?
    let timeoutMs: Int?
    let tries: Int?
    let idempotencyKeys: Bool?
    let client: String?
    let fakeTime: Bool?
    let chance: Double?
    let callTimeoutMs: Int?
    let idempotencyKey: String?
}
