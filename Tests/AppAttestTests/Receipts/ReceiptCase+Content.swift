import AppAttest
import AssayCore
import AssaySimulator

extension ReceiptCase {
    /// Rows 58, 60 and 62: the fields of the receipt.
    static let contents: [Self] =
        [
            .init(58, "another app", .appIDMismatch) { $0.phone = Sample.phone(appID: Sample.otherAppID) },
            .init(58, "another key", .publicKeyMismatch) { $0.expect = { $0.publicKey = TestSigningKey(.p256).publicPoint } },
            .init(58, "another environment", .environmentMismatch) { $0.phone = Sample.phone(environment: .development) },
            .init(58, "an unknown environment", .environmentMismatch, .genuine.fields { $0.set(7, "staging") }),
            .init(58, "another client data hash", .receiptClientHashMismatch) {
                $0.expect = { $0.clientDataHash = [1, 2, 3] }
            },
            .init(58, "no client data hash", .receiptClientHashMismatch, .genuine.fields { $0[4] = nil }),
            .init(60, "a RECEIPT inside an attestation", .receiptTypeUnexpected) {
                $0.kind = .receipt
                $0.expect = { $0.kind = .attest }
            },
            .init(60, "an ATTEST from the exchange", .receiptTypeUnexpected) { $0.expect = { $0.kind = .receipt } },
            .init(60, "an unknown type", .receiptTypeUnexpected, .genuine.fields { $0.set(6, "attest") }),
            .init(62, "a field twice", .malformedReceipt, .genuine.fields { $0.fields.append(.init(7, "production")) }),
            .init(
                62, "an unknown field twice", .malformedReceipt,
                .genuine.fields {
                    $0.fields += [.init(99, "a"), .init(99, "b")]
                }),
            .init(62, "no metric in a RECEIPT", .malformedReceipt, .genuine.fields { $0[17] = nil }) { $0.kind = .receipt },
            .init(62, "no not-before time in a RECEIPT", .malformedReceipt, .genuine.fields { $0[19] = nil }) {
                $0.kind = .receipt
            },
            .init(62, "a metric that is no number", .malformedReceipt, .genuine.fields { $0.set(17, "abc") }) {
                $0.kind = .receipt
            },
            .init(62, "a negative metric", .malformedReceipt, .genuine.fields { $0.set(17, "-3") }) { $0.kind = .receipt },
            .init(62, "a metric of ten digits", .malformedReceipt, .genuine.fields { $0.set(17, "1234567890") }) {
                $0.kind = .receipt
            },
            .init(62, "a date without a zone", .malformedReceipt, .genuine.fields { $0.set(12, "2027-01-15T08:00:00") }),
            .init(62, "a date that is none", .malformedReceipt, .genuine.fields { $0.set(21, "2027-02-30T08:00:00Z") }),
            .init(62, "a key that is none", .malformedReceipt, .genuine.fields { $0.set(3, "a key") }),
            .init(62, "a name that is no text", .malformedReceipt, .genuine.fields { $0[2] = [0xFF, 0xFE] }),
            .init(
                62, "a name that never ends", .malformedReceipt,
                .genuine.fields {
                    $0.set(2, String(repeating: "a", count: 600))
                }),
            .init(62, "fields that are no set", .malformedReceipt, .genuine.payload { $0[0] = 0x30 }),
            .init(62, "a byte behind the fields", .malformedReceipt, .genuine.payload { $0.append(0) }),
            .init(
                62, "more fields than any has", .malformedReceipt,
                .genuine.fields {
                    $0.fields += (100..<140).map { .init($0, "") }
                }),
        ]
        + [2, 3, 6, 12, 21].map { (field: UInt64) in
            .init(62, "no field \(field)", .malformedReceipt, .genuine.fields { $0[field] = nil })
        }

    private static let year: Int64 = 365 * 86_400_000

    /// Rows 59 and 61: its creation time, and the time of the appraisal. The signer of these expires 200 days after the
    /// creation.
    static let times: [Self] = [
        .init(59, "six minutes old where five are allowed", .receiptTooOld) { $0.age = 6 * Sample.minute },
        .init(59, "five minutes old", nil) { $0.age = 5 * Sample.minute },
        .init(59, "an hour old, where any age is allowed", nil) {
            $0.age = 60 * Sample.minute
            $0.expect = { $0.maxAgeMilliseconds = nil }
        },
        .init(59, "made in ten minutes", .timestampInFuture) { $0.age = -10 * Sample.minute },
        .init(59, "made in four minutes, by a clock that is ahead", nil) { $0.age = -4 * Sample.minute },
        .init(59, "expired", .receiptExpired) {
            $0.age = 91 * 1440 * Sample.minute
            $0.expect = { $0.maxAgeMilliseconds = nil }
        },
        .init(61, "stored, its signer and itself expired since", nil, short) { $0.age = nil },
        .init(61, "arriving after its signer's end", .expired, short) {
            $0.age = year
            $0.expect = { $0.maxAgeMilliseconds = nil }
        },
        .init(
            61, "arriving before its signer's beginning", .notYetValid,
            .genuine.signer {
                $0.notBefore = Sample.now.adding(milliseconds: 10 * Sample.minute)
            }),
        .init(
            61, "made before its signer's beginning", .notYetValid,
            .genuine.signer {
                $0.notBefore = Sample.now.adding(milliseconds: 10 * Sample.minute)
            }
        ) {
            $0.age = 15 * Sample.minute
        },
        .init(
            61, "stored, and made after its signer's end", .expired,
            .genuine.signer {
                $0.notAfter = Sample.now.adding(milliseconds: -10 * Sample.minute)
            }
        ) { $0.age = nil },
    ]

    private static let short = ReceiptChanges.genuine.signer {
        $0.notBefore = Sample.now.adding(milliseconds: -200 * 1440 * Sample.minute)
        $0.notAfter = Sample.now.adding(milliseconds: 200 * 1440 * Sample.minute)
    }
}
