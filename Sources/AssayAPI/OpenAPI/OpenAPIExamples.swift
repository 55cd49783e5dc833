import AssayCore

/// Examples of requests and answers. A test reads each as the daemon does, and writes it again: they are what the daemon reads and writes.
/// Certificates, signatures and digests in them are no genuine ones.
struct OpenAPIExamples: Sendable {
    /// The gRPC path of the method.
    let path: String
    let requests: [(name: String, value: JSONValue)]
    let answers: [(name: String, value: JSONValue)]

    private init(_ method: some APIMethod, _ request: String, _ answers: KeyValuePairs<String, String>) {
        path = method.path
        requests = [("request", .parsed(request))]
        self.answers = answers.map { ($0.key, .parsed($0.value)) }
    }

    static func by(path: String) -> OpenAPIExamples? { all.first { $0.path == path } }

    static let all: [OpenAPIExamples] = [
        OpenAPIExamples(
            API.issueChallenge,
            #"""
            {"app": "photos", "purpose": "PURPOSE_ASSERT", "context": "c2Vzc2lvbi03Mjgx", "ttlMs": 300000}
            """#,
            [
                "issued":
                    #"""
                {
                  "challenge": "bSLlDG/spL1orNW87mRBS/QDNZAtfkT+LFrN8qg6zGGXs4paX6JVN00/CvuyvDQQA+wdnVrk",
                  "expiresAtUnixMs": "1776125100000"
                }
                """#
            ]),
        OpenAPIExamples(
            API.verify,
            #"""
            {
              "app": "photos",
              "purpose": "PURPOSE_ASSERT",
              "challenge": "bSLlDG/spL1orNW87mRBS/QDNZAtfkT+LFrN8qg6zGGXs4paX6JVN00/CvuyvDQQA+wdnVrk",
              "context": "c2Vzc2lvbi03Mjgx",
              "evidence": [
                {
                  "appAttestAssertion": {
                    "keyId": "qBlAjOUBDKLgnvWaw9ifX/hZXQK1JOYb+K+olKldWU8=",
                    "assertion": "a0e8Xs88jHKzV7kmqSfW3JnBmB2aTT5RiahFPWn7OwY588aS5Vl6orh51RRCunmQ"
                  }
                }
              ],
              "binding": {"clientData": {"payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI="}},
              "subject": "dXNlci00Mg==",
              "idempotencyKey": "dXBsb2FkLTEwMDE=",
              "results": [
                {
                  "shape": "RESULT_SHAPE_EAR_JWT",
                  "audience": "https://uploads.example.com",
                  "nonce": "nHYpbDm7sQxVhLqG0a1kXw=="
                }
              ]
            }
            """#,
            [
                "accepted":
                    #"""
                {
                  "decision": "DECISION_ACCEPTED",
                  "assurance": "ASSURANCE_SECURE_ELEMENT",
                  "findings": [{"check": "signature", "outcome": "OUTCOME_PASS"}],
                  "claims": [{"name": "environment", "text": "production"}],
                  "deviceId": "1gAxc5Y5ynLQNPRapnxaOQ==",
                  "bound": {
                    "mode": "MODE_CLIENT_DATA",
                    "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI=",
                    "clientDataHash": "LRfPwGZoghEq0PlT7GT2dV5XWn+qDHkgJNvJ5NQY0BQ="
                  },
                  "evidenceDigest": "4KVZUuN0Zf3W9IXtlw4mixS8L7CrGlPxxDUsJQqp5eM=",
                  "policyDigest": "VipqZ50mSUd28eIlPS+2t31IZ6tY24fl8sSl5YsQrbI=",
                  "requestId": "8WK0k92b9W5DH22dtdzZ3Q==",
                  "decidedAtUnixMs": "1776124800000",
                  "results": [
                    {
                      "shape": "RESULT_SHAPE_EAR_JWT",
                      "audience": "https://uploads.example.com",
                      "text": "eyJhbGciOiJFUzI1NiIsImtpZCI6Ik4yVjRZVzF3YkdVIiwidHlwIjoiZWF0K2p3dCJ9.e30.c2lnbmF0dXJl",
                      "id": "qPp6WmZ1nQ0m6oW0dYkN4w==",
                      "expiresAtUnixMs": "1776125100000"
                    }
                  ],
                  "limits": [
                    "VERDICT_LIMIT_RELAY_NOT_EXCLUDED",
                    "VERDICT_LIMIT_ATTESTED_AT_REGISTRATION",
                    "VERDICT_LIMIT_SYSTEM_NOT_VERIFIED"
                  ]
                }
                """#,
                "rejected":
                    #"""
                {
                  "decision": "DECISION_REJECTED",
                  "reason": "challenge_expired",
                  "detail": "the challenge expired 40 s ago",
                  "check": "challenge",
                  "retry": "RETRY_CLASS_NEW_CHALLENGE",
                  "findings": [
                    {
                      "check": "challenge",
                      "outcome": "OUTCOME_FAIL",
                      "code": "challenge_expired",
                      "detail": "the challenge expired 40 s ago"
                    }
                  ],
                  "bound": {"mode": "MODE_CLIENT_DATA", "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI="},
                  "evidenceDigest": "4KVZUuN0Zf3W9IXtlw4mixS8L7CrGlPxxDUsJQqp5eM=",
                  "policyDigest": "VipqZ50mSUd28eIlPS+2t31IZ6tY24fl8sSl5YsQrbI=",
                  "requestId": "UVJPvzxdaDlKNxvsAkuWpA==",
                  "decidedAtUnixMs": "1776124800000"
                }
                """#,
            ]),
        OpenAPIExamples(
            API.prepare,
            #"""
            {"app": "photos", "format": "liveness-broker", "body": "eyJsb2NhbGUiOiJlbiJ9"}
            """#,
            [
                "prepared":
                    #"""
                {"body": "eyJzZXNzaW9uIjoiNDcxMSJ9", "expiresAtUnixMs": "1776125400000"}
                """#
            ]),
        OpenAPIExamples(
            API.beginUpload,
            #"""
            {
              "app": "photos",
              "size": "5242881",
              "chunkSize": 1048576,
              "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI=",
              "idempotencyKey": "dmlkZW8tNDcxMQ=="
            }
            """#,
            [
                "begun":
                    #"""
                {
                  "uploadId": "tCWPB+w/oZQbEQbIuU+iWA==",
                  "state": "STATE_OPEN",
                  "total": 6,
                  "missing": [0, 1, 2, 3, 4, 5],
                  "expiresAtUnixMs": "1776128400000",
                  "begunAtUnixMs": "1776124800000",
                  "size": "5242881",
                  "chunkSize": 1048576,
                  "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI="
                }
                """#
            ]),
        OpenAPIExamples(
            API.putChunks,
            #"""
            {
              "app": "photos",
              "uploadId": "tCWPB+w/oZQbEQbIuU+iWA==",
              "chunks": [
                {"index": 1, "size": 1048576, "sha256": "GZOjxjPPPk/YmL6sy/VsFUQjXNj5c5bjy+MJUlAqUWc="},
                {"index": 5, "size": 1, "sha256": "DxBWUxpcPKoUU/M2EDwdhDFftk12X0mLp9TM9G3WHdM="}
              ]
            }
            """#,
            [
                "stated":
                    #"""
                {
                  "uploadId": "tCWPB+w/oZQbEQbIuU+iWA==",
                  "state": "STATE_OPEN",
                  "total": 6,
                  "completed": 2,
                  "missing": [0, 2, 3, 4],
                  "expiresAtUnixMs": "1776128400000",
                  "begunAtUnixMs": "1776124800000",
                  "size": "5242881",
                  "chunkSize": 1048576,
                  "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI="
                }
                """#
            ]),
        OpenAPIExamples(
            API.finalizeUpload,
            #"""
            {
              "app": "photos",
              "uploadId": "tCWPB+w/oZQbEQbIuU+iWA==",
              "chunks": 6,
              "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI="
            }
            """#,
            [
                "finished":
                    #"""
                {
                  "uploadId": "tCWPB+w/oZQbEQbIuU+iWA==",
                  "state": "STATE_FINISHED",
                  "total": 6,
                  "completed": 6,
                  "expiresAtUnixMs": "1776128400000",
                  "begunAtUnixMs": "1776124800000",
                  "finishedAtUnixMs": "1776124830000",
                  "size": "5242881",
                  "chunkSize": 1048576,
                  "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI="
                }
                """#
            ]),
        OpenAPIExamples(
            API.getUpload,
            #"""
            {"app": "photos", "uploadId": "tCWPB+w/oZQbEQbIuU+iWA=="}
            """#,
            [
                "open":
                    #"""
                {
                  "uploadId": "tCWPB+w/oZQbEQbIuU+iWA==",
                  "state": "STATE_OPEN",
                  "total": 6,
                  "completed": 2,
                  "missing": [0, 2, 3, 4],
                  "expiresAtUnixMs": "1776128400000",
                  "begunAtUnixMs": "1776124800000",
                  "size": "5242881",
                  "chunkSize": 1048576,
                  "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI="
                }
                """#
            ]),
        OpenAPIExamples(
            API.abortUpload,
            #"""
            {"app": "photos", "uploadId": "tCWPB+w/oZQbEQbIuU+iWA=="}
            """#,
            [
                "aborted":
                    #"""
                {"aborted": true}
                """#
            ]),
        OpenAPIExamples(
            API.findVerdicts,
            #"""
            {
              "app": "photos",
              "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI=",
              "sourceAddress": "203.0.113.7"
            }
            """#,
            [
                "found":
                    #"""
                {
                  "app": "photos",
                  "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI=",
                  "found": true,
                  "answeredAtUnixMs": "1776170000000",
                  "verdicts": [
                    {
                      "requestId": "8WK0k92b9W5DH22dtdzZ3Q==",
                      "decision": "DECISION_ACCEPTED",
                      "assurance": "ASSURANCE_SECURE_ELEMENT",
                      "decidedAtUnixMs": "1776124800000",
                      "purpose": "PURPOSE_ASSERT",
                      "formats": ["appattest-assertion"],
                      "platform": "ios",
                      "match": "MATCH_PAYLOAD",
                      "deviceState": "DEVICE_STATE_REGISTERED",
                      "note": "A genuine device, whose key lies in a secure element, signed the hash of exactly these bytes. That does not say what the file shows, who made it, or how it came into the app.",
                      "noteCode": "attested_secure_element",
                      "limits": [
                        "VERDICT_LIMIT_RELAY_NOT_EXCLUDED",
                        "VERDICT_LIMIT_ATTESTED_AT_REGISTRATION",
                        "VERDICT_LIMIT_SYSTEM_NOT_VERIFIED"
                      ]
                    }
                  ]
                }
                """#,
                "nothing":
                    #"""
                {
                  "app": "photos",
                  "payloadSha256": "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI=",
                  "answeredAtUnixMs": "1776170000000",
                  "note": "No accepted verdict on exactly these bytes is kept. That says nothing against the file: a single changed byte, as after saving it again or sending it through a messenger, makes another file, and verdicts are kept for a limited time.",
                  "noteCode": "nothing_found"
                }
                """#,
            ]),
        OpenAPIExamples(
            API.getDevice,
            #"""
            {"app": "photos", "deviceId": "1gAxc5Y5ynLQNPRapnxaOQ=="}
            """#,
            [
                "device":
                    #"""
                {
                  "deviceId": "1gAxc5Y5ynLQNPRapnxaOQ==",
                  "app": "photos",
                  "format": "app-attest.attestation",
                  "keyId": "qBlAjOUBDKLgnvWaw9ifX/hZXQK1JOYb+K+olKldWU8=",
                  "publicKey": "BJyfQWPKjr4sJbTyC6cZS1+Mzn2tZKyv+BhrtwElFgq/PQgYbFGLUB9b7UOnSVANK4FEdbwJx1UzXSydpgMQs5U=",
                  "environment": "production",
                  "state": "STATE_ACTIVE",
                  "counter": 42,
                  "registeredAtUnixMs": "1776124800000",
                  "lastAcceptedAtUnixMs": "1776211200000",
                  "anchorSpkiSha256": "u3+Pd488VIHVNCbULwQ4TD0nGkljZFR8sNGBG5oGnUQ=",
                  "claims": [{"name": "environment", "text": "production"}],
                  "receiptLength": 3712
                }
                """#
            ]),
        OpenAPIExamples(
            API.listDevices,
            #"""
            {"app": "photos", "state": "STATE_ACTIVE", "pageSize": 1}
            """#,
            [
                "page":
                    #"""
                {
                  "devices": [
                    {
                      "deviceId": "1gAxc5Y5ynLQNPRapnxaOQ==",
                      "app": "photos",
                      "format": "app-attest.attestation",
                      "keyId": "qBlAjOUBDKLgnvWaw9ifX/hZXQK1JOYb+K+olKldWU8=",
                      "environment": "production",
                      "state": "STATE_ACTIVE",
                      "counter": 42,
                      "registeredAtUnixMs": "1776124800000",
                      "lastAcceptedAtUnixMs": "1776211200000",
                      "receiptLength": 3712
                    }
                  ],
                  "nextPageToken": "b0p/ueQqLhbwY4uAOYkeoVbYEhJHy2zq"
                }
                """#
            ]),
        OpenAPIExamples(
            API.block,
            #"""
            {"app": "photos", "target": {"deviceId": "1gAxc5Y5ynLQNPRapnxaOQ=="}, "reason": "reported stolen"}
            """#,
            [
                "blocked":
                    #"""
                {"devices": 1}
                """#
            ]),
        OpenAPIExamples(
            API.whoAmI,
            #"""
            {}
            """#,
            [
                "caller":
                    #"""
                {
                  "name": "uploads",
                  "recognisedBy": "uri",
                  "mark": "spiffe://example.org/uploads",
                  "roles": ["verify"],
                  "apps": ["photos"],
                  "rates": [{"limit": "caller", "use": "verdicts", "rate": "100/s burst 200", "burst": 200, "left": 199}]
                }
                """#
            ]),
        OpenAPIExamples(
            API.watch,
            #"""
            {"kinds": ["verdict.rejected"], "apps": ["photos"]}
            """#,
            [
                "event":
                    #"""
                {
                  "event": {
                    "sequence": "1042",
                    "timeUnixMs": "1776124800000",
                    "kind": "verdict.rejected",
                    "app": "photos",
                    "caller": "uploads",
                    "verdict": {
                      "requestId": "UVJPvzxdaDlKNxvsAkuWpA==",
                      "decision": "DECISION_REJECTED",
                      "code": "challenge_expired",
                      "check": "challenge",
                      "purpose": "PURPOSE_ASSERT",
                      "formats": ["app-attest.assertion"],
                      "policyDigest": "VipqZ50mSUd28eIlPS+2t31IZ6tY24fl8sSl5YsQrbI="
                    }
                  }
                }
                """#
            ]),
        OpenAPIExamples(
            API.createKey,
            #"""
            {
              "name": "uploads-eu",
              "roles": ["verify"],
              "apps": ["photos"],
              "lifetimeMs": "2592000000",
              "reason": "upload handler of the second region"
            }
            """#,
            [
                "key":
                    #"""
                {
                  "key": "assay_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                  "record": {
                    "name": "uploads-eu",
                    "roles": ["verify"],
                    "apps": ["photos"],
                    "createdAtUnixMs": "1776124800000",
                    "createdBy": "operator",
                    "expiresAtUnixMs": "1778716800000",
                    "usable": true
                  }
                }
                """#
            ]),
        OpenAPIExamples(
            API.readAudit,
            #"""
            {"from": "1041", "limit": 1}
            """#,
            [
                "page":
                    #"""
                {
                  "rows": [
                    {
                      "number": "1041",
                      "timeUnixMs": "1776124800000",
                      "record": "oorA+qIoxwzbuIBo2F2Vwriy9/4zbbxczVoJmcUhCF/tADqPSuF3o/MTROkQpTIMLs5XL4t4YBQte3wT",
                      "head": "v5I7wwnJWl+Hai0Vl1bHKYxrXXL6Ko8IVxB9HvWzoz8="
                    }
                  ],
                  "next": "1042",
                  "last": "1042",
                  "startHead": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
                }
                """#
            ]),
        OpenAPIExamples(
            API.getVerdict,
            #"""
            {"requestId": "UVJPvzxdaDlKNxvsAkuWpA=="}
            """#,
            [
                "rejected":
                    #"""
                {
                  "requestId": "UVJPvzxdaDlKNxvsAkuWpA==",
                  "timeUnixMs": "1776124800000",
                  "decision": "DECISION_REJECTED",
                  "app": "photos",
                  "reason": "challenge_expired",
                  "detail": "the challenge expired 40 s ago",
                  "retry": "RETRY_CLASS_NEW_CHALLENGE"
                }
                """#
            ]),
        OpenAPIExamples(
            API.issueCertificate,
            #"""
            {
              "app": "cameras",
              "challenge": "9ZcQmu8i+4vCsYl3C6mNzVpAXvKPY3vWwruQjj7zwS89gxfZgh0tz5C+Z6pcExeugiSXL1C2",
              "evidence": [
                {
                  "androidKeyAttestation": {
                    "certificates": [
                      "Ihe/ujaHMXza51YGNTELDT8SqLFnL03Ogch2XfjBc0sSH4vVZh+XnXx/q8mdUB73",
                      "HzERNO/h+Y1angSbQtfHPD+dglq+MxnhbiHPpl+jaLf0uvkB0bn8wRqdPHFP2lJE",
                      "/H/pwS10pCRsE/kgC1IJ6o5MlsBwLBsTqX7JzfRnohSp9oFXR8Gy+UZud4wsDJXA"
                    ]
                  }
                }
              ],
              "csr": "FcsuVhc4QIfLupxGoG2LJhpCD3sITash0wFO9uBy6K/ztBH5X6UDm6NwrYEI0OqzIBb4TLA3bzUxqQvQ",
              "idempotencyKey": "Y2FtZXJhLTAwNDI="
            }
            """#,
            [
                "issued":
                    #"""
                {
                  "verdict": {
                    "decision": "DECISION_ACCEPTED",
                    "assurance": "ASSURANCE_HARDWARE",
                    "deviceId": "1gAxc5Y5ynLQNPRapnxaOQ==",
                    "requestId": "A8802DElF9DDuWKmpLmNMw==",
                    "decidedAtUnixMs": "1776124800000"
                  },
                  "certificate": {
                    "certificate": "JLuUGDaaTPz4h60C8s6DS13r6ugoTKW3zNkkR6xokeYLSnsuADIsRadQxQMPm+wy/IifeLCT8FD5HGp2",
                    "serial": "9lbkc6R+eH1IBBqDq49xwA==",
                    "issuerSpkiSha256": "5dJdWVcu/bapSfaXXacWV49+HbP+Uq2KREuPENhMKMA=",
                    "app": "cameras",
                    "deviceId": "1gAxc5Y5ynLQNPRapnxaOQ==",
                    "keyId": "L3jFyAFTUkg7D6HTG5ny4mA565grM+us8LMpGWHWhyY=",
                    "notBeforeUnixMs": "1776124800000",
                    "notAfterUnixMs": "1783900800000",
                    "issuedAtUnixMs": "1776124800000",
                    "assurance": "ASSURANCE_HARDWARE",
                    "keyProtection": "KEY_PROTECTION_ATTESTED",
                    "platform": "key-attestation.chain",
                    "policyDigest": "VipqZ50mSUd28eIlPS+2t31IZ6tY24fl8sSl5YsQrbI="
                  },
                  "chain": ["xULfL8Idc7W4DgtEm4Vr5LttiO8Do7vKz5a2rjRyNc5DSsNtFy3Ts+eIgK6i5qf7p6tD5N2oNvC+0lbp"]
                }
                """#
            ]),
        OpenAPIExamples(
            API.revokeCertificate,
            #"""
            {
              "app": "cameras",
              "serial": "9lbkc6R+eH1IBBqDq49xwA==",
              "reason": "REVOCATION_REASON_KEY_COMPROMISE",
              "comment": "lost in transport"
            }
            """#,
            [
                "revoked":
                    #"""
                {
                  "certificate": {
                    "serial": "9lbkc6R+eH1IBBqDq49xwA==",
                    "issuerSpkiSha256": "5dJdWVcu/bapSfaXXacWV49+HbP+Uq2KREuPENhMKMA=",
                    "app": "cameras",
                    "deviceId": "1gAxc5Y5ynLQNPRapnxaOQ==",
                    "keyId": "L3jFyAFTUkg7D6HTG5ny4mA565grM+us8LMpGWHWhyY=",
                    "notBeforeUnixMs": "1776124800000",
                    "notAfterUnixMs": "1783900800000",
                    "issuedAtUnixMs": "1776124800000",
                    "assurance": "ASSURANCE_HARDWARE",
                    "keyProtection": "KEY_PROTECTION_ATTESTED",
                    "platform": "key-attestation.chain",
                    "policyDigest": "VipqZ50mSUd28eIlPS+2t31IZ6tY24fl8sSl5YsQrbI=",
                    "revocation": {"reason": "REVOCATION_REASON_KEY_COMPROMISE", "revokedAtUnixMs": "1776124801000"}
                  }
                }
                """#
            ]),
        OpenAPIExamples(
            API.getAuthorities,
            #"""
            {}
            """#,
            [
                "authorities":
                    #"""
                {
                  "authorities": [
                    {
                      "name": "cameras",
                      "spkiSha256": "5dJdWVcu/bapSfaXXacWV49+HbP+Uq2KREuPENhMKMA=",
                      "chain": ["xULfL8Idc7W4DgtEm4Vr5LttiO8Do7vKz5a2rjRyNc5DSsNtFy3Ts+eIgK6i5qf7p6tD5N2oNvC+0lbp"],
                      "state": "STATE_SIGNING",
                      "notAfterUnixMs": "1933804800000",
                      "revocationListUrl": "https://crl.example.org/cameras.crl"
                    }
                  ]
                }
                """#
            ]),
        OpenAPIExamples(
            API.provisionDevice,
            #"""
            {
              "app": "cameras",
              "deviceSerial": "CAM-0042",
              "deviceFamily": "studio",
              "csr": "FcsuVhc4QIfLupxGoG2LJhpCD3sITash0wFO9uBy6K/ztBH5X6UDm6NwrYEI0OqzIBb4TLA3bzUxqQvQ",
              "enrolmentToken": "enr_BBBBBBBBBBBBBBBBBBBB",
              "idempotencyKey": "Y2FtZXJhLTAwNDI="
            }
            """#,
            [
                "refused":
                    #"""
                {
                  "rejection": {
                    "reason": "not_enrolled",
                    "detail": "the serial number is not on the list",
                    "retry": "RETRY_CLASS_CONTACT_OPERATOR"
                  }
                }
                """#
            ]),
        OpenAPIExamples(
            API.getResultKeys, "{}",
            [
                "keys":
                    #"""
                {
                  "issuer": "https://assay.example.com",
                  "jwks": "{\"keys\":[{\"alg\":\"ES256\",\"crv\":\"P-256\",\"kid\":\"f1h9vWmZ8c2uF5n9kQxQ3yqYJpQn8h9zq0c3m3o7y3U\",\"kty\":\"EC\",\"use\":\"sig\",\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\",\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}",
                  "profiles": [
                    {"shape": "RESULT_SHAPE_EAR_JWT", "type": "eat+jwt", "specification": "draft-ietf-rats-ear-04"}
                  ]
                }
                """#
            ]),
        OpenAPIExamples(
            API.rotateResultKey,
            #"""
            {"reason": "the quarter's key"}
            """#,
            [
                "next":
                    #"""
                {
                  "kid": "f1h9vWmZ8c2uF5n9kQxQ3yqYJpQn8h9zq0c3m3o7y3U",
                  "issuer": "https://assay.example.com",
                  "algorithm": "ES256",
                  "state": "STATE_NEXT",
                  "publishedAtUnixMs": "1776124800000",
                  "signsFromUnixMs": "1776211200000",
                  "signsUntilUnixMs": "1783987200000",
                  "held": true
                }
                """#
            ]),
    ]

    /// An error of a call, as Connect has it.
    static let error: JSONValue = .parsed(
        #"""
        {
          "code": "resource_exhausted",
          "message": "the caller has used up its rate",
          "details": [
            {
              "type": "google.rpc.ErrorInfo",
              "value": "CgxyYXRlX2xpbWl0ZWQSBWFzc2F5",
              "debug": {"reason": "rate_limited", "domain": "assay"}
            },
            {"type": "google.rpc.RetryInfo", "value": "CgIIAg", "debug": {"retryDelay": "2s"}}
          ]
        }
        """#)
}
