import CBLBase
import CBLLanguage
import CBLQuery
import CBLStore

/// `cblite mkindex DATABASE NAME EXPRESSIONS`
enum MakeIndexCommand {
    static let declaration = CommandDeclaration(
        "mkindex", group: .maintaining,
        summary: "Make an index, or find out which one would help a query",
        discussion: """
            Makes an index of the documents of a collection, so that queries find them without reading all of them. EXPRESSIONS are SQL++, \
            with commas between them, or the JSON form, an array of expressions. With WHERE behind them, or --where, only the documents \
            that meet the condition are in the index, and only queries that have the same condition can use it.

            A value index is for =, <, BETWEEN, IN, ORDER BY and joins. A full-text index (--fts) is for MATCH and the command fts: words \
            of the properties' texts. With --language, words are stemmed (a search for "run" finds "running") and the stop words of the \
            language are left out; there are lists for en and fr. Languages are da, nl, en, fi, fr, de, hu, it, no, pt, ro, ru, es, sv, tr, \
            or their English names. An array index (--unnest PATH) is for UNNEST of that path; arrays in arrays are written contacts[].phones, \
            and EXPRESSIONS are about an item, or left out for the items themselves. A predictive index (--predict MODEL) keeps what a model \
            makes of EXPRESSIONS, an object such as {'text': name}: queries with PREDICTION(MODEL, …) of the same object ask it no more. With \
            --outputs, documents are found by these properties of the answers. --model says which program the model is; it is needed \
            again by every command that changes documents of the collection.

            A vector index (--vector --dimensions N) finds the documents whose vectors are nearest to another: ORDER BY \
            APPROX_VECTOR_DISTANCE(vector, $target) LIMIT 10. EXPRESSIONS give the vector: an array of numbers, or the Base64 text of 32-bit \
            floats. Documents are sorted into --centroids lists (about the square root of how many there are), of which a query looks into a \
            few. The metric is euclidean_squared, euclidean, cosine or dot. Numbers are kept in a byte each (SQ8); SQ6, SQ4 and PQ32x8 take \
            less, none keeps them as they are. It is told how many documents have no vector, and how many have something that is none. With \
            --lazy, EXPRESSIONS give what the vector is to be made of, and embed has it made. The vendor's programs take no notice of the index, and what they write is found all the same.

            Nothing happens if there is the same index already. Another one of the same name is replaced, even one of another collection: \
            names are unique in a database. The index is there whole or not at all, whenever the command is interrupted.

            --suggest makes no index. It tells which one would help a query, with the plan of the query before and after.
            """,
        database: .writes,
        flags: [
            Flag("where", value: "CONDITION", .expression, "Only documents that meet the condition"),
            Flag("json", "EXPRESSIONS are in the JSON form; if they begin with [ or {, they are anyway"),
            Flag("fts", "Make a full-text index"),
            Flag("language", value: "LANGUAGE", .text, "With --fts: the language of the texts, such as en"),
            Flag("ignoreDiacritics", aliases: ["ignorediacritics", "ignore-diacritics"], "With --fts: e finds é"),
            Flag(
                "noStemming", aliases: ["nostemming", "no-stemming"], "With --fts: only the words themselves, not others of the same stem"),
            Flag(
                "stopWords", aliases: ["stopwords", "stop-words"], value: "WORDS", .text,
                "With --fts: words to leave out, instead of the language's"),
            Flag("unnest", value: "PATH", .property, "Make an array index: the path of the array"),
            Flag("predict", value: "MODEL", .text, "Make a predictive index: what this model makes of EXPRESSIONS"),
            Flag("outputs", value: "PROPERTIES", .text, "With --predict: find documents by these properties of the answers, as in a,b"),
            Flag("suggest", value: "QUERY", .text, "Tell which index would help this query"),
            Flag("vector", "Make a vector index"),
            Flag("dimensions", aliases: ["dim"], value: "N", .count, "With --vector: how many numbers a vector has"),
            Flag("centroids", value: "N", .count, "With --vector: how many lists there are; by default as many as suit the documents"),
            Flag("metric", value: "METRIC", .choice(VectorIndexFlags.metrics), "With --vector: what is near; by default euclidean_squared"),
            Flag("encoding", value: "ENCODING", .text, "With --vector: how numbers are kept: SQ8, SQ6, SQ4, PQ32x8 or none"),
            Flag("probes", value: "N", .count, "With --vector: how many lists a query looks into"),
            Flag(
                "minTraining", aliases: ["min-training"], value: "N", .count,
                "With --vector: how many vectors it waits for before it sorts them"),
            Flag("maxTraining", aliases: ["max-training"], value: "N", .count, "With --vector: how many vectors it learns from at most"),
            Flag("lazy", "With --vector: embed or an app gives the vectors, not the expression"),
        ],
        arguments: [
            Argument("NAME", .text, .optional, "The name of the index"),
            Argument("EXPRESSIONS", .expression, .optionalRest, "What documents are found by: properties, or expressions over them"),
        ],
        examples: [
            .init("cblite mkindex travel.cblite2 byCity -C hotels 'address.city, stars'", "Hotels by city and stars."),
            .init("cblite mkindex travel.cblite2 open 'name WHERE closed IS MISSING'", "A partial index."),
            .init("cblite mkindex travel.cblite2 words --fts --language en 'name, description'", "A full-text index of two properties."),
            .init("cblite mkindex travel.cblite2 phones --unnest 'contacts[].phones' number", "An array index."),
            .init(
                "cblite mkindex travel.cblite2 moods --predict mood --outputs mood --model mood=./mood.py \"{'text': description}\"",
                "A predictive index: what ./mood.py says of descriptions."),
            .init("cblite mkindex photos.cblite2 looks --vector --dimensions 512 --metric cosine embedding", "A vector index."),
            .init("cblite mkindex travel.cblite2 --suggest \"SELECT name FROM hotels WHERE stars > 3\"", "What would help that query."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        if let query = invocation.string("suggest") { return try SuggestIndex.run(query, invocation) }
        guard let name = invocation.argumentIfGiven("NAME") else { throw invocation.usageError("NAME is missing") }
        let definition = try definition(name, invocation)
        guard case .vector = definition.kind else {
            let change = try make(definition, invocation)
            try invocation.tell { try tell(change, definition, invocation) }
            return .success
        }
        let report = VectorIndexReport()
        let change = try report.hearing {
            try make(definition, invocation) { transaction in
                if let index = try transaction.vectorIndex(named: name) { try report.count(index, in: transaction) }
            }
        }
        try invocation.tell { try tell(change, definition, invocation, change == .unchanged ? nil : report) }
        return .success
    }

    private static func definition(_ name: String, _ invocation: Invocation) throws -> IndexDefinition {
        let text = invocation.argumentIfGiven("EXPRESSIONS")
        if let model = invocation.string("predict") { return try predictiveDefinition(name, model, text, invocation) }
        if invocation.flag("vector") { return try VectorIndexFlags.definition(name, text, invocation) }
        try VectorIndexFlags.refuse(invocation)
        if invocation.count("outputs") > 0 { throw invocation.usageError("--outputs is for predictive indexes: --predict MODEL") }
        let kind = try kind(invocation)
        if case .array = kind {} else if text == nil { throw invocation.usageError("EXPRESSIONS are missing") }
        let collection = try invocation.collectionName()
        return try QueryReport.describing(text ?? "") {
            try IndexDefinition(
                name: name, in: collection, kind, text ?? "", where: invocation.string("where"),
                language: invocation.flag("json") ? .json : nil)
        }
    }

    private static func predictiveDefinition(
        _ name: String, _ model: String, _ text: String?, _ invocation: Invocation
    ) throws -> IndexDefinition {
        let others = ["fts", "unnest", "where", "language", "ignoreDiacritics", "noStemming", "stopWords"]
        if let other = others.first(where: { invocation.count($0) > 0 }) {
            throw invocation.usageError("--predict and --\(other) exclude each other")
        }
        guard let text else {
            throw invocation.usageError("EXPRESSIONS are missing: the object that the model gets, such as {'text': name}")
        }
        let outputs = (invocation.string("outputs") ?? "").split(separator: ",").map { $0.drop { $0 == " " } }.map(String.init)
        let collection = try invocation.collectionName()
        return try QueryReport.describing(text) {
            try IndexDefinition(
                name: name, in: collection, predicting: model, of: text, outputs: outputs, language: invocation.flag("json") ? .json : nil)
        }
    }

    private static func kind(_ invocation: Invocation) throws -> IndexDefinition.Kind {
        let options = ["language", "ignoreDiacritics", "noStemming", "stopWords"].filter { invocation.count($0) > 0 }
        if let path = invocation.string("unnest") {
            guard !invocation.flag("fts"), options.isEmpty else { throw invocation.usageError("an array index is no full-text index") }
            guard invocation.string("where") == nil else { throw invocation.usageError("an array index cannot have a condition") }
            return .array(path: path)
        }
        guard invocation.flag("fts") else {
            if let option = options.first { throw invocation.usageError("--\(option) is for full-text indexes: --fts") }
            return .value
        }
        var text = FullTextOptions()
        text.language = invocation.string("language")
        text.ignoresDiacritics = invocation.flag("ignoreDiacritics")
        text.disablesStemming = invocation.flag("noStemming")
        text.stopWords = invocation.string("stopWords")
        if let language = text.language, text.stemmer == nil {
            let suggestion = Suggestion.sentence(for: language, in: FullTextOptions.languages, quoted: true)
            invocation.session.warn("no stemmer knows the language \"\(language)\": words are kept as they are.\(suggestion)")
        }
        return .fullText(text)
    }

    private static func make(
        _ definition: IndexDefinition, _ invocation: Invocation, finally: (Transaction) throws -> Void = { _ in }
    ) throws -> IndexChange {
        let database = try invocation.database()
        var definition = definition
        let change = try QueryReport.describing(definition.text) {
            try database.write { transaction in
                definition.collection = try invocation.existing(definition.collection, in: transaction)
                return try IndexBuilding.run(transaction, invocation.session) {
                    let change = try transaction.createIndex(definition)
                    try finally(transaction)
                    return change
                }
            }
        }
        // Of an array index, expressions are about its items.
        let array = definition.path.map { String($0.prefix { $0 != "[" }) }
        try invocation.session.tellOfUnknownProperties(of: database, in: array ?? definition.text, definition.collection)
        return change
    }

    private static func tell(
        _ change: IndexChange, _ definition: IndexDefinition, _ invocation: Invocation, _ report: VectorIndexReport? = nil
    ) throws {
        let session = invocation.session
        let action =
            switch change {
            case .unchanged: "unchanged"
            case .created: "created"
            case .replaced: "replaced"
            }
        if invocation.wantsJSON {
            return try session.writeFacts { line in
                line.add("action", action)
                line.add("collection", definition.collection.description)
                line.add("index", definition.name)
                report?.write(to: &line)
            }
        }
        defer { report?.tell(session) }
        switch change {
        case .unchanged: session.notice("Index \"\(definition.name)\" exists already.")
        case .created: try session.output.writeLine("Created index \"\(definition.name)\"")
        case .replaced(let old):
            try session.output.writeLine("Replaced index \"\(definition.name)\"")
            if old.collection != definition.collection {
                session.notice(
                    "The one of that name of collection \"\(old.collection?.description ?? old.keyStore)\" is gone: names are unique.")
            }
        }
    }
}

/// `cblite rmindex DATABASE NAME…`
enum RemoveIndexCommand {
    static let declaration = CommandDeclaration(
        "rmindex", group: .maintaining,
        summary: "Remove indexes",
        discussion:
            "Removes indexes of any kind. Documents stay as they are; queries that used the index become slower, and MATCH needs one.",
        database: .writes,
        arguments: [Argument("NAME", .index, .repeating, "The index, also as COLLECTION.NAME")],
        examples: [.init("cblite rmindex travel.cblite2 byCity", "The index goes.")],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let removed = try invocation.database().write { transaction in
            // All of them or none.
            let indexes = try invocation.arguments("NAME").map { try InfoIndexes.find($0, transaction) }
            try IndexBuilding.run(transaction, invocation.session) {
                for index in indexes { try transaction.dropIndex(index.name) }
            }
            return indexes
        }
        try invocation.tell {
            for index in removed {
                if invocation.wantsJSON {
                    try invocation.session.writeFacts { line in
                        line.add("action", "removed")
                        line.add("collection", index.collection?.description ?? index.keyStore)
                        line.add("index", index.name)
                    }
                } else {
                    try invocation.output.writeLine("Removed index \"\(index.name)\"")
                }
            }
        }
        return .success
    }
}

/// What is wrong with SQL++ that stands on the command line.
enum QueryReport {
    /// Does something with a text; a mistake in it is shown in its place.
    static func describing<Result>(_ text: String, _ work: () throws -> Result) throws -> Result {
        do { return try work() } catch let error as QueryError {
            throw CommandError(.failure, lines: error.reportLines(in: text))
        }
    }
}

/// Long work on indexes: it shows that it goes on, and Ctrl-C ends it.
enum IndexBuilding {
    // SQLite calls a C function on the thread that works, which is the one that set this.
    nonisolated(unsafe) private static var progress: ProgressLine?
    nonisolated(unsafe) private static var isInterruptible = true

    static func run<Result>(_ transaction: Transaction, _ session: Session, _ work: () throws -> Result) throws -> Result {
        let shown = session.progress("Working on the index", unit: "steps")
        progress = shown
        // To interrupt a change is to SQLite to undo the whole transaction, with what was in it before: then the index is built first.
        isInterruptible = transaction.isOutermost
        transaction.connection.setProgressCheck { _ in
            IndexBuilding.progress?.advance(by: 16)
            return Interruption.isRequested && IndexBuilding.isInterruptible ? 1 : 0
        }
        defer {
            transaction.connection.setProgressCheck(nil)
            progress = nil
            shown.finish()
        }
        let result = try work()
        try Interruption.check()
        return result
    }
}
