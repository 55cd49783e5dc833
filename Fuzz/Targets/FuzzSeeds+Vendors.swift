import AssayCore

extension FuzzSeeds {
    /// A revocation list, and answers of Apple's and Google's services, with the headers that are read.
    static var vendors: [(name: String, bytes: [UInt8])] {
        let texts = [
            "status-list/entries": """
            {"entries":{"c35747a084470c3135aeefe2b8d40cd6":{"status":"REVOKED","reason":"KEY_COMPROMISE"},\
            "11233824344008680171":{"status":"SUSPENDED","expires":"2027-11-21","comment":"a while"},"f":{"status":"LOST"}}}
            """,
            "status-list/odd": """
            {"entries":{"1a":{"status":"SUSPENDED","comment":"\\ud800\\x"},"1A":{"status":"REVOKED"},"2\\udc00":7,\
            "3c":{"status":"SUSPENDED","status":"REVOKED"}},"entries":{"f":{}}}
            """,
            "status-list/empty": #"{"entries":{}}"#,
            "vendor-answers/bits": #"{"bit0":true,"bit1":false,"last_update_time":"2026-11"}"#,
            "vendor-answers/unset": "Failed to find bit state",
            "vendor-answers/token": "Missing or incorrectly formatted device token payload",
            "vendor-answers/bearer": #"{"access_token":"ya29.c.abc","expires_in":3599,"token_type":"Bearer"}"#,
            "vendor-answers/receipt": Base64.standard.encode([0x30, 0x80, 0x06, 0x09]),
            "vendor-answers/cache": "public, max-age=86400",
            "vendor-answers/seconds": "120",
            "vendor-answers/date": "Sun, 06 Nov 1994 08:49:37 GMT",
            "vendor-answers/encoded": "10 2026-11",
        ]
        return texts.map { ($0.key, Array($0.value.utf8)) }
    }
}
