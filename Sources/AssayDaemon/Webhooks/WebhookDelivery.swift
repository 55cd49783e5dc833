import AssayAPI
package import AssayCore
import AssayService
import Crypto
import Foundation

/// A request to a webhook: a batch of events under an id that it keeps over all attempts.
package struct WebhookDelivery: Hashable, Sendable {
    /// The most events of one request, some 60 KiB.
    package static let eventLimit = 100

    /// The version of the body's form. Members are added without a new version.
    static let version = 1

    /// `msg_` and 32 hexadecimal digits: receivers tell repetitions by it.
    package let id: String
    package let createdAt: Timestamp
    /// JSON.
    package let body: [UInt8]
    package let events: Int
    package var attempts = 0

    package init(id: String, createdAt: Timestamp, body: [UInt8], events: Int, attempts: Int = 0) {
        (self.id, self.createdAt, self.body, self.events, self.attempts) = (id, createdAt, body, events, attempts)
    }

    /// - Parameter missed: events before these that are lost to the webhook.
    init(of events: [WatchHub.Numbered], to name: String, missed: UInt64, at now: Timestamp) {
        let object: [String: Any] = [
            "type": "assay.events", "version": Self.version, "timestamp": now.description,
            "data": [
                "webhook": name, "missed": missed, "events": events.map { $0.event.message($0.sequence).json },
            ] as [String: Any],
        ]
        let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
        self.init(
            id: "msg_" + Hex.encode(SecureRandom.bytes(16)), createdAt: now, body: Array(data ?? Data("{}".utf8)),
            events: events.count)
    }

    /// The headers of an attempt (Standard Webhooks 1.0): the signature is HMAC-SHA256 over id, time and body with dots between them, by each
    /// of the secrets.
    package func headers(signedBy secrets: [[UInt8]], at now: Timestamp) -> [(name: String, value: String)] {
        let seconds = "\(now.unixMilliseconds / 1000)"
        let content = Array("\(id).\(seconds).".utf8) + body
        let signatures = secrets.map { secret in
            "v1," + Data(HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: secret))).base64EncodedString()
        }
        return [
            ("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", seconds),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
