import CBLBase
import CBLFleece
import CBLFunctions
import CBLQuery
import CBLStore
import CBLTransport

/// `cblite embed DATABASE INDEX`
enum EmbedCommand {
    static let declaration = CommandDeclaration(
        "embed", group: .maintaining,
        summary: "Give the documents of a lazy vector index their vectors",
        discussion: """
            A lazy vector index (mkindex --vector --lazy) has no vectors of its own: its expression gives what they are to be made of, such as \
            a text. embed asks a program or a service for the vector of each document that is new or was changed, and stores it.

            --command PROGRAM is started by sh. For each line that it gets, the JSON of a value, it writes one: an array of as many numbers as \
            the index has dimensions; null if there is no vector; or {"error": "…"}, which ends the work. A blob arrives as an object with its \
            content in Base64, as "data". --url asks a service for several vectors at once, in the way of OpenAI's and Ollama's: it is sent \
            {"model": …, "input": ["…", …]} and answers with "data" or "embeddings". Values that are no texts are sent as JSON; null and empty \
            texts get no vector.

            The vectors of each batch are stored together. Whatever ends the work, Ctrl-C or a mistake, what was stored stays, and the next \
            run goes on from there. Only a person can name a program: no script.
            """,
        database: .writes,
        flags: [
            Flag("command", value: "PROGRAM", .text, "The program that makes vectors of lines of JSON"),
            Flag("url", value: "URL", .text, "The service that makes vectors of texts, such as http://localhost:11434/api/embed"),
            Flag("model-name", value: "NAME", .text, "With --url: the model that the service is to use"),
            Flag("header", value: "NAME: VALUE", .text, repeatable: true, "With --url: a header for the service"),
            Flag("limit", value: "N", .count, "Stop after N documents"),
            Flag(
                "batch", value: "N", .integer(1...mostInBatch),
                "How many vectors are asked for and stored together (default: \(usualBatch))"),
            Flag("all", "Forget the vectors that there are, and make all anew, as with another model"),
        ],
        arguments: [Argument("INDEX", .lazyIndex, .required, "The lazy vector index, also as COLLECTION.INDEX")],
        examples: [
            .init("cblite embed notes.cblite2 meaning --command ./embed.py", "What ./embed.py makes of each document's text."),
            .init(
                "cblite embed notes.cblite2 meaning --url http://localhost:11434/api/embed --model-name nomic-embed-text",
                "By a model that Ollama runs on this machine."),
        ],
        run: run)

    private static let usualBatch = 64
    private static let mostInBatch = 10_000

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let service = try service(invocation)
        let database = try invocation.database()
        let (index, collection) = try database.read { try find(invocation.argument("INDEX"), $0) }
        let embedder: any Embedder = service ?? EmbeddingProgram(invocation.string("command") ?? "", blobContents(of: database))
        defer { embedder.end() }
        if invocation.flag("all") { try database.write { try $0.emptyVectorIndex(index) } }
        var run = EmbeddingRun(
            database: database, index: index.name, collection: collection, embedder: embedder,
            batch: invocation.int("batch") ?? usualBatch, limit: invocation.int("limit"))
        let unseen = try database.read { snapshot in
            try snapshot.vectorIndex(named: index.name).map { try snapshot.countUnseen(by: $0) } ?? 0
        }
        let progress = invocation.session.progress("Embedding", total: min(unseen, run.limit ?? unseen), unit: "documents")
        defer { progress.finish() }
        do { try run.go { progress.advance(by: $0) } } catch {
            progress.finish()
            throw explained(error, run)
        }
        progress.finish()
        try invocation.tell { try tell(run, invocation) }
        return .success
    }

    /// Nil if it is a program that is asked.
    private static func service(_ invocation: Invocation) throws -> EmbeddingService? {
        guard let text = invocation.string("url") else {
            guard let command = invocation.string("command"), command.contains(where: { !$0.isWhitespace }) else {
                throw invocation.usageError("who makes the vectors? --command PROGRAM or --url URL")
            }
            if let name = ["model-name", "header"].first(where: { invocation.count($0) > 0 }) {
                throw invocation.usageError("--\(name) is for services: --url")
            }
            if invocation.session.shell?.isRunningScript ?? false {
                throw CommandError.usage(
                    "a script cannot name a program that makes vectors", hint: "Run 'embed' from the command line, or with --url.")
            }
            return nil
        }
        if invocation.flag("command") { throw invocation.usageError("--command and --url are two ways to get vectors: choose one") }
        do {
            return EmbeddingService(try PeerURL(text), model: invocation.string("model-name"), try ServerAccess.headers(invocation))
        } catch let error as TransportError { throw CommandError.failed(error.message, hint: error.advice.map { $0 + "." }) }
    }

    private static func find(_ name: String, _ snapshot: Snapshot) throws -> (VectorIndex, CollectionName) {
        let found = try InfoIndexes.find(name, snapshot)
        guard let index = try snapshot.vectorIndex(named: found.name), index.options.isLazy, let collection = index.collection else {
            let reason = found.kind == .vector ? "is not lazy: its vectors come from the documents" : "is not a vector index"
            throw CommandError.failed("index \"\(found.name)\" \(reason)", hint: "'cblite mkindex --vector --lazy' makes a lazy one.")
        }
        guard index.id != nil else {
            throw CommandError.failed(
                "the lazy vector index \"\(index.name)\" was made by the vendor's extension, and only that can change it",
                hint: "'cblite rmindex' removes it; then 'cblite mkindex --vector --lazy' makes one that needs no extension.")
        }
        return (index, collection)
    }

    private static func blobContents(of database: Database) -> FunctionContext {
        let context = FunctionContext()
        context.blobContent = { blob, keys in
            guard let digest = blob.value(forKey: "digest", keys)?.string.flatMap({ BlobDigest($0) }) else { return nil }
            var content: [UInt8] = []
            return (try? database.blobs.read(digest) { content.append(contentsOf: $0) }) == nil ? nil : content
        }
        return context
    }

    private static func explained(_ error: any Error, _ run: EmbeddingRun) -> any Error {
        let kept = run.count == 0 ? [] : ["\(documents(run.count)) looked at before, which is kept: the next run goes on from there."]
        if let error = error as? EmbeddingError {
            let place = error.isAboutValue ? run.document.map { "document \"\($0)\": " } ?? "" : ""
            return CommandError(
                error.isInterruption ? .interrupted : .failure, lines: [place + error.message], hints: [error.hint].compactMap { $0 } + kept
            )
        }
        guard let error = ErrorReport.commandError(error) else { return error }
        return kept.reduce(error) { $0.hinting($1) }
    }

    private static func documents(_ count: Int) -> String {
        count == 1 ? "1 document was" : "\(ProgressLine.grouped(count)) documents were"
    }

    private static func tell(_ run: EmbeddingRun, _ invocation: Invocation) throws {
        if invocation.wantsJSON {
            return try invocation.session.writeFacts { line in
                line.add("collection", run.collection.description)
                line.add("index", run.index)
                line.add("vectors", run.count - run.withoutVector)
                line.add("withoutVector", run.withoutVector)
                line.add("complete", run.isComplete)
            }
        }
        if run.count == 0, run.isComplete { return invocation.session.notice("No document waits for a vector.") }
        let vectors = run.count - run.withoutVector
        let without = run.withoutVector == 0 ? "" : ", \(ProgressLine.grouped(run.withoutVector)) without"
        try invocation.output.writeLine("\(ProgressLine.grouped(vectors)) vector\(vectors == 1 ? "" : "s") stored\(without)")
        if !run.isComplete { invocation.session.notice("More documents wait: the next run goes on from here.") }
    }
}
