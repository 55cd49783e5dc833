import ArgumentParser
import AssayAPI
import AssayClient
import AssayCore
import Crypto

struct UploadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "upload", abstract: "State the hashes of a payload that arrives in chunks.",
        discussion: """
            The bytes are not sent: they stay with the upload handler, and the daemon keeps the size and the SHA-256 of each chunk (\(Documentation.page("start/uploads-in-chunks.md"))). \
            A finished upload's id stands in a request for a verdict in place of the payload: 'assay verify --upload'. The app's configuration has to \
            have a section 'uploads', and the caller needs the role 'verify'.
            """,
        subcommands: [
            UploadSendCommand.self, UploadBeginCommand.self, UploadPutCommand.self, UploadFinishCommand.self,
            UploadShowCommand.self, UploadAbortCommand.self,
        ])
}

/// Which upload.
struct UploadOptions: ParsableArguments {
    @Option(help: "The app, as the configuration names it.")
    var app: AppID

    @Argument(help: ArgumentHelp("The upload's id.", valueName: "upload"))
    var id: UploadID

    @Flag(help: "Print a JSON object.")
    var json = false
}

/// A payload and how it is cut.
struct UploadedFileOptions: ParsableArguments {
    @Option(help: "The app, as the configuration names it.")
    var app: AppID

    @Option(help: ArgumentHelp("The size of every chunk but the last, 65536 to 10485760.", valueName: "bytes"))
    var chunkSize: UInt32 = 1_048_576

    @Option(help: "Begin again under the same key and get the same upload.")
    var idempotencyKey: String = ""

    @Argument(help: ArgumentHelp("The payload, or '-' for standard input.", valueName: "file"))
    var file: FileArgument

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard ChunkPlan.chunkSizes.contains(Int64(chunkSize)) else {
            throw ValidationError("--chunk-size must be 65536 to 10485760, not \(chunkSize).")
        }
    }

    /// At most 50 MiB.
    func read() throws -> [UInt8] { try file.read(atMost: Int(ChunkPlan.sizeLimit)) }

    func begin(_ payload: [UInt8], _ client: AssayClient, _ limit: Duration?) async throws(AssayError) -> Assay_V1_Upload {
        try await client.beginUpload(
            of: app, size: UInt64(payload.count), chunkSize: chunkSize, payloadSHA256: Array(SHA256.hash(data: payload)),
            idempotencyKey: Array(idempotencyKey.utf8), timeout: limit)
    }
}

struct UploadSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Begin an upload of a file, state all its chunks, and finish it.",
        discussion: "Prints the upload's id. With --idempotency-key a send that was interrupted goes on where it was.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var options: UploadedFileOptions

    /// The most chunks of one call.
    private static let callLimit = 200

    func run() async throws {
        let payload = try options.read()
        let (app, limit) = (options.app, server.limit)
        let upload = try await server.with { client throws(AssayError) in
            var upload = try await options.begin(payload, client, limit)
            guard let id = UploadID(bytes: Array(upload.uploadID)) else { return upload }
            let chunks = upload.missing.compactMap { UploadChunk(Int($0), of: payload, cutBy: Int(options.chunkSize)) }
            for start in stride(from: 0, to: chunks.count, by: Self.callLimit) {
                let some = Array(chunks[start..<min(start + Self.callLimit, chunks.count)])
                upload = try await client.putChunks(some, of: id, in: app, timeout: limit)
            }
            let statement = UploadStatement(count: Int(upload.total), payloadSHA256: Array(SHA256.hash(data: payload)))
            return try await client.finalizeUpload(id, in: app, statement, timeout: limit)
        }
        UploadText(upload: upload).print(json: options.json, brief: true)
    }
}

struct UploadBeginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "begin", abstract: "Begin an upload of a file, and print its id.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var options: UploadedFileOptions

    func run() async throws {
        let payload = try options.read()
        let upload = try await server.with { client throws(AssayError) in
            try await options.begin(payload, client, server.limit)
        }
        UploadText(upload: upload).print(json: options.json, brief: true)
    }
}

struct UploadPutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "State a chunk that has arrived.",
        discussion: "Exit status 1 if the chunk was stated before with another hash, or if there is no such upload.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var options: UploadOptions

    @Option(help: ArgumentHelp("Which chunk, from 0.", valueName: "number"))
    var index: Int

    @Option(help: ArgumentHelp("The chunk, or '-' for standard input.", valueName: "file"))
    var chunk: FileArgument

    func run() async throws {
        let bytes = try chunk.read(atMost: Int(ChunkPlan.chunkSizes.upperBound))
        let stated = UploadChunk(index: index, size: Int64(bytes.count), sha256: Array(SHA256.hash(data: bytes)))
        let upload = try await server.with { client throws(AssayError) in
            try await client.putChunks([stated], of: options.id, in: options.app, timeout: server.limit)
        }
        UploadText(upload: upload).print(json: options.json)
    }
}

struct UploadFinishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish", abstract: "Finish an upload of which all chunks have arrived.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var options: UploadOptions

    @Option(help: ArgumentHelp("The whole payload as it arrived, or '-' for standard input.", valueName: "file"))
    var payload: FileArgument

    @Option(help: ArgumentHelp("How many chunks arrived.", valueName: "number"))
    var chunks: Int

    func run() async throws {
        let hash = Array(SHA256.hash(data: try payload.read(atMost: Int(ChunkPlan.sizeLimit))))
        let upload = try await server.with { client throws(AssayError) in
            try await client.finalizeUpload(
                options.id, in: options.app, UploadStatement(count: chunks, payloadSHA256: hash), timeout: server.limit)
        }
        UploadText(upload: upload).print(json: options.json)
    }
}

struct UploadShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what has arrived of an upload, and what is missing.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var options: UploadOptions

    func run() async throws {
        let upload = try await server.with { client throws(AssayError) in
            try await client.upload(options.id, in: options.app, timeout: server.limit)
        }
        UploadText(upload: upload).print(json: options.json)
    }
}

struct UploadAbortCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "abort", abstract: "End an upload and forget it.", discussion: "Exit status 1 if there is no such upload.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var options: UploadOptions

    func run() async throws {
        let aborted = try await server.with { client throws(AssayError) in
            try await client.abortUpload(options.id, in: options.app, timeout: server.limit)
        }
        if options.json {
            Console.print(json: ["aborted": aborted])
        } else {
            Console.print(aborted ? "aborted" : "no such upload")
        }
        guard aborted else { throw ExitCode(1) }
    }
}

extension UploadChunk {
    /// A chunk of a payload; `nil` if it has none with the index.
    fileprivate init?(_ index: Int, of payload: [UInt8], cutBy size: Int) {
        let start = index * size
        guard start < payload.count else { return nil }
        let bytes = payload[start..<min(start + size, payload.count)]
        self.init(index: index, size: Int64(bytes.count), sha256: Array(SHA256.hash(data: bytes)))
    }
}
