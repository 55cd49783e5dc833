import Foundation
import Testing

extension Child.Ending {
    /// The object of the only line on standard error.
    func failure() throws -> [String: Any] {
        let lines = err.split(separator: "\n")
        try #require(lines.count == 1, "\(self)")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(err.utf8)) as? [String: Any])
        try #require(Array(object.keys) == ["error"], "\(self)")
        let error = try #require(object["error"] as? [String: Any])
        #expect(error["exit_status"] as? Int == Int(status), "\(self)")
        #expect(error["message"] is String && error["reason"] is String && error["retry"] is String, "\(self)")
        return error
    }
}
