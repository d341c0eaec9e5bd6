import CBLFleece
import CBLSystemDuktape
import CBLViews
import Glibc

/// How quickly map functions in JavaScript go over documents, beside what the engine does by itself: the same function called on the same documents,
/// which it parses from JSON, with nothing in between.
///
///     python3 ../shared/bench/make-users.py 100000 > .build/bench/users.json
///     swift run -c release cblite-bench-views scripts .build/bench/users.json
enum ScriptWorkloads {
    struct Failure: Error { let message: String }

    static let functions: [(name: String, source: String)] = [
        ("one member", "function (doc) { emit(doc.gender, null); }"),
        ("compound key", "function (doc) { emit([doc.contact.address.state, doc.contact.address.city, doc.birthday], doc.balance); }"),
        ("a row per like", "function (doc) { for (var i = 0; i < doc.likes.length; i++) emit(doc.likes[i], doc.name.last); }"),
        ("the document", "function (doc) { if (doc.score > 110) emit(doc._id, doc); }"),
        ("all members", "function (doc) { var n = 0; for (var key in doc) n++; emit(n, null); }"),
    ]

    static func run(_ arguments: [String]) throws {
        guard let path = arguments.first else { throw Failure(message: "name a file of JSON lines") }
        let lines = try read(path)
        let (documents, keys) = try encode(lines)
        print("\(lines.count) documents, processor time, documents/s")
        for (name, source) in functions {
            let engine = try best { try runEngine(source, lines) }
            let ours = try best { try runOurs(source, documents, keys) }
            guard engine.rows == ours.rows else { throw Failure(message: "\(engine.rows) rows by the engine, \(ours.rows) by us") }
            let (limit, speed) = (Double(lines.count) / engine.seconds, Double(lines.count) / ours.seconds)
            print("\(name): engine \(Int(limit)), ours \(Int(speed)), ratio \(Double(Int(speed / limit * 100)) / 100), \(ours.rows) rows")
        }
    }

    static func read(_ path: String) throws -> [[UInt8]] {
        guard let file = fopen(path, "r") else { throw Failure(message: "\(path) cannot be opened") }
        defer { fclose(file) }
        var lines: [[UInt8]] = []
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while true {
            let count = getline(&line, &capacity, file)
            guard count > 0, let line else { return lines }
            lines.append(Array(UnsafeRawBufferPointer(start: line, count: count)))
        }
    }

    private static func encode(_ lines: [[UInt8]]) throws -> ([FleeceData], SharedKeys) {
        let builder = SharedKeysBuilder()
        let encoder = FleeceEncoder(sharedKeys: builder)
        let documents = try lines.map { line in
            try line.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
            return try encoder.finish()
        }
        return (documents, builder.state)
    }

    private static func best(_ body: () throws -> Int) rethrows -> (seconds: Double, rows: Int) {
        var best = Double.infinity
        var rows = 0
        for _ in 0..<3 {
            let start = processorTime()
            rows = try body()
            best = min(best, processorTime() - start)
        }
        return (best, rows)
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    static func runEngine(_ source: String, _ lines: [[UInt8]]) throws -> Int {
        guard let engine = cblite_runner_create(64 << 20, 5_000_000_000) else { throw Failure(message: "no memory") }
        defer { cblite_runner_destroy(engine) }
        guard cblite_runner_open(engine) == cblite_script_done,
            cblite_runner_compile(engine, "", 0, source, source.utf8.count) == cblite_script_done
        else { throw Failure(message: "the function cannot be compiled") }
        var rows = 0
        for line in lines {
            let outcome = line.withUnsafeBytes { bytes in
                cblite_runner_call_with_json(
                    engine, 0, cblite_script_map, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
            }
            guard outcome == cblite_script_done else { throw Failure(message: "the function failed") }
            rows += Int(cblite_runner_rows(engine))
        }
        return rows
    }

    private static func runOurs(_ source: String, _ documents: [FleeceData], _ keys: SharedKeys) throws -> Int {
        let runner = try ScriptRunner()
        let function = try runner.add(ScriptProgram(source, name: "map"))
        let encoder = FleeceEncoder()
        var rows = 0
        let revision = Array("1-0123456789abcdef0123456789abcdef".utf8)
        try revision.withUnsafeBytes { revision in
            for data in documents {
                try data.withRoot { root in
                    guard let id = root.dictionary?.value(forKey: "_id", keys)?.stringBytes else { throw Failure(message: "no ID") }
                    try runner.map(function, ScriptDocument(body: root, keys: keys, id: id, revision: revision, sequence: 1)) { row in
                        encoder.beginArray()
                        try row.key.write(to: encoder)
                        try row.value.write(to: encoder)
                        encoder.endArray()
                        try encoder.withFinished { _ in }
                        rows += 1
                    }
                }
            }
        }
        return rows
    }
}
