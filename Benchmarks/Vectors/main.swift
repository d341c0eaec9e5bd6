import CBLBase
import CBLQuery
import CBLSQLite
import CBLStore
import CBLVectors
import Foundation

// cblite-bench-vectors [--folder DIR] [DOCUMENTS] [DIMENSIONS]
// Makes documents with vectors (100,000 of 128 dimensions if nothing is said), an index, and times searches. What is kept in DIR, the database and
// the vectors as 32-bit floats, is for compare.py, which has other programs do the same work.
//
// cblite-bench-vectors --search DIR
// Times searches alone, in the database that is kept there: their memory is that of the process.

func seconds(_ work: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(work)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

func json(_ vector: [Float]) -> String { "[" + vector.map { "\($0)" }.joined(separator: ",") + "]" }

func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

func line(_ name: String, _ value: Double, _ unit: String) { print("\(name)\t\((value * 1000).rounded() / 1000) \(unit)") }

/// A file of floats that is written from its beginning on, or nothing.
struct FloatFile {
    private let file: UnsafeMutablePointer<FILE>?

    init(_ path: String?) {
        file = path.flatMap { fopen($0, "w") }
        if path != nil, file == nil { fatalError("cannot write \(path!)") }
    }

    func write(_ vector: [Float]) {
        guard let file else { return }
        guard fwrite(vector, 4, vector.count, file) == vector.count else { fatalError("cannot write vectors") }
    }

    func close() { if let file { fclose(file) } }
}

func floats(of path: String) -> [Float] {
    guard let file = fopen(path, "r") else { fatalError("cannot read \(path)") }
    defer { fclose(file) }
    var values: [Float] = []
    var value: Float = 0
    while fread(&value, 4, 1, file) == 1 { values.append(value) }
    return values
}

func make(count: Int, dimensions: Int, in folder: String, keeps: Bool) throws {
    var source = Source(dimensions: dimensions, clusters: 2000)
    let vectors = FloatFile(keeps ? folder + "/vectors.f32" : nil)
    let database = try Database(path: folder + "/db.cblite2", options: .create)
    defer { database.close() }
    let filling = try seconds {
        for start in stride(from: 0, to: count, by: 20_000) {
            try database.write { transaction in
                for number in start..<min(start + 20_000, count) {
                    let vector = source.next()
                    vectors.write(vector)
                    try transaction.save(
                        "d\(number)", body: transaction.encode(json: "{\"part\":\(number % 100),\"vector\":\(json(vector))}"))
                }
            }
        }
    }
    vectors.close()
    line("documents saved", filling, "s")
    _ = try database.write { try $0.createIndex(IndexDefinition(name: "part", .value, "part")) }
    let asked = FloatFile(folder + "/queries.f32")
    for _ in 0..<100 { asked.write(source.next()) }
    asked.close()

    // So many that what is done only now and then is among it.
    let inserted = (0..<10_000).map { _ in json(source.next()) }
    func insert(_ name: String) throws -> (all: Double, median: Double) {
        let times = try inserted.enumerated().map { number, vector in
            try seconds {
                try database.write { transaction in
                    _ = try transaction.save("\(name)\(number)", body: transaction.encode(json: "{\"vector\":\(vector)}"))
                }
            }
        }
        return (times.reduce(0, +), median(times))
    }
    let plain = try insert("before")
    let options = VectorOptions(dimensions: dimensions, centroids: max(1, Int(Double(count).squareRoot())))
    func pages() throws -> Int64 { try database.read { try $0.connection.integer("PRAGMA page_count") ?? 0 } * 4096 }
    let sizeBefore = try pages()
    line(
        "index built",
        try seconds { _ = try database.write { try $0.createIndex(IndexDefinition(name: "near", .vector(options), "vector")) } }, "s")
    let encoded = Double(options.encoding.size(dimensions: dimensions) * (count + inserted.count))
    line("size over that of the codes", Double(try pages() - sizeBefore) / encoded, "")
    let tables = try database.read { try $0.connection.integer("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'vx!_%' ESCAPE '!'") ?? 0 }
    line("the same without the index of sequences", Double(tables) / encoded, "")
    let indexed = try insert("after")
    line("10,000 inserts over those without the index", indexed.all / plain.all, "")
    line("the same of the median of an insert", indexed.median / plain.median, "")
    for name in ["before", "after"] {
        try database.write { transaction in
            for number in inserted.indices { _ = try transaction.purge("\(name)\(number)") }
        }
    }
}

func search(in folder: String) throws {
    let database = try Database(path: folder + "/db.cblite2", options: .readOnly)
    defer { database.close() }
    let values = floats(of: folder + "/queries.f32")
    let queries = stride(from: 0, to: values.count, by: values.count / 100).map { json(Array(values[$0..<$0 + values.count / 100])) }
    func run(_ text: String, _ target: String, _ snapshot: Snapshot) throws -> [String] {
        let rows = try Query(text, on: snapshot).run(on: snapshot, parameters: QueryParameters(json: "{\"target\":\(target)}"))
        var found: [String] = []
        while try rows.next() { found.append(rows[0].string ?? "") }
        return found
    }
    try database.read { snapshot in
        let exact = "SELECT META().id FROM _ WHERE vector IS VALUED ORDER BY APPROX_VECTOR_DISTANCE(vector, $target) LIMIT 10"
        let truth = try queries.prefix(20).map { Set(try run(exact, $0, snapshot)) }
        for probes in [1, 4, 8, 16, 32] {
            let near = "SELECT META().id FROM _ ORDER BY APPROX_VECTOR_DISTANCE(vector, $target, 'default', \(probes)) LIMIT 10"
            var times: [Double] = []
            var hits = 0
            for _ in 0..<2 {
                times = []
                hits = 0
                for (number, query) in queries.enumerated() {
                    var found: [String] = []
                    times.append(try seconds { found = try run(near, query, snapshot) })
                    if number < truth.count { hits += found.filter { truth[number].contains($0) }.count }
                }
            }
            line("query with \(probes) probes", median(times) * 1000, "ms, recall \(Double(hits) / Double(10 * truth.count))")
        }
        let hybrid = "SELECT META().id FROM _ WHERE part = 7 ORDER BY APPROX_VECTOR_DISTANCE(vector, $target) LIMIT 10"
        line("hybrid query of 1 %", median(try queries.map { query in try seconds { _ = try run(hybrid, query, snapshot) } }) * 1000, "ms")
    }
}

var words = CommandLine.arguments.dropFirst()
var folder: String?
var onlySearches = false
while let word = words.first, word.hasPrefix("--") {
    guard ["--folder", "--search"].contains(word), let value = words.dropFirst().first else { fatalError("unknown: \(word)") }
    onlySearches = word == "--search"
    folder = value
    words = words.dropFirst(2)
}
if onlySearches, let folder {
    try search(in: folder)
} else {
    let numbers = words.compactMap { Int($0) }
    let place = folder ?? "/tmp/cblite-bench-vectors-\(getpid())"
    guard mkdir(place, 0o700) == 0 else { fatalError("cannot make \(place)") }
    defer { if folder == nil { try? FileManager.default.removeItem(atPath: place) } }
    try make(count: numbers.first ?? 100_000, dimensions: numbers.dropFirst().first ?? 128, in: place, keeps: folder != nil)
    try search(in: place)
}
var usage = rusage()
getrusage(__rusage_who_t(0), &usage)
line("memory at most", Double(usage.ru_maxrss) / 1024, "MiB")
