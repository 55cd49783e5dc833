import AssayClient
import AssayCore
import Foundation

/// The driver of the conformance suite for `AssayClient`: a JSON object a line in, one out (clients/conformance/README.md).
@main
enum ConformanceDriver {
    static func main() async {
        let clients = DriverClients()
        while let line = readLine() {
            print(await said(line, clients))
            // Standard output is a pipe, which is buffered.
            fflush(nil)
        }
    }

    /// What is written for a line.
    private static func said(_ text: String, _ clients: DriverClients) async -> String {
        let line: DriverLine
        do { line = try DriverLine(text) } catch { return shown(["id": NSNull(), "broken": "\(error)"]) }
        let time = DriverTime(isFake: line.options.fakeTime ?? false, chance: line.options.chance ?? 0.5)
        let result: [UInt8]
        do {
            result = try await clients.outcome(of: line, time)
        } catch let error as AssayError {
            return shown(["id": line.id, "error": members(of: error, time), "waits": time.waits])
        } catch {
            return shown(["id": line.id, "broken": "\(error)"])
        }
        do {
            let answer = try JSONSerialization.jsonObject(with: Data(result)) as? [String: Any] ?? [:]
            return shown(["id": line.id, "outcome": DriverOutcome.of(line.method, answer), "waits": time.waits])
        } catch {
            return shown(["id": line.id, "broken": "\(error)"])
        }
    }

    /// `AssayError` has neither a retry class, a link nor a status of HTTP: conformance.json says that they are lacking.
    private static func members(of error: AssayError, _ time: DriverTime) -> [String: Any] {
        let code = error.code == .cancelled ? "canceled" : error.code.rawValue.lowercased()
        return [
            "code": code, "reason": error.reason, "message": error.message,
            "retryAfterMs": error.retryAfterMilliseconds.map { Int($0) as Any } ?? NSNull(), "attempts": time.waits.count + 1,
        ]
    }

    private static func shown(_ object: [String: Any]) -> String {
        let data = (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data("{}".utf8)
        return String(decoding: data, as: UTF8.self)
    }
}
