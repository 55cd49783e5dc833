import AssayAPI
import AssayCore

/// The output form of an upload, for people and for tools.
struct UploadText {
    let upload: Assay_V1_Upload

    /// - Parameter brief: only the id, for scripts, unless JSON is asked for.
    func print(json: Bool, brief: Bool = false) {
        if json {
            Console.print(json: object)
        } else if brief {
            Console.print(Hex.encode(upload.uploadID))
        } else {
            lines.forEach(Console.print)
        }
    }

    var lines: [String] {
        var lines = [
            Console.styled(word.uppercased(), upload.state == .finished ? .good : .warning)
                + "  \(upload.completed) of \(upload.total) chunks",
            "  upload    \(Hex.encode(upload.uploadID))", "  size      \(upload.size) bytes in chunks of \(upload.chunkSize)",
            "  payload   \(Hex.encode(upload.payloadSha256))",
        ]
        if !upload.missing.isEmpty { lines.append("  missing   \(upload.missing.map(String.init).joined(separator: ", "))") }
        return lines + ["  expires   \(Timestamp(unixMilliseconds: upload.expiresAtUnixMs))"]
    }

    var object: [String: Any] {
        var object: [String: Any] = [
            "state": word, "total": Int(upload.total), "completed": Int(upload.completed),
            "missing": upload.missing.map(Int.init),
            "size": upload.size, "chunk_size": Int(upload.chunkSize),
            "begun_at": Timestamp(unixMilliseconds: upload.begunAtUnixMs).description,
            "expires_at": Timestamp(unixMilliseconds: upload.expiresAtUnixMs).description,
        ]
        object.add(hex: "upload_id", upload.uploadID)
        object.add(hex: "payload_sha256", upload.payloadSha256)
        if upload.finishedAtUnixMs != 0 {
            object["finished_at"] = Timestamp(unixMilliseconds: upload.finishedAtUnixMs).description
        }
        return object
    }

    private var word: String {
        switch upload.state {
        case .open: "open"
        case .finished: "finished"
        case .expired: "expired"
        case .unspecified, .UNRECOGNIZED: "unknown"
        }
    }
}
