import CBLBase
import CBLQuery
import CBLSQLite
import CBLStore
import CBLVectors
import Glibc

// Times vector search over documents made here: `cblite-bench-vectors [DOCUMENTS] [DIMENSIONS]`, 100,000 of 128 dimensions if nothing is said.
// Vectors are of clusters in fewer dimensions than they have, with a little noise, as those of texts and pictures are.

extension SeededGenerator {
    mutating func normal() -> Float {
        let (first, second) = (Float.random(in: 1e-7...1, using: &self), Float.random(in: 0...1, using: &self))
        return (-2 * logf(first)).squareRoot() * cosf(2 * .pi * second)
    }
}

struct Source {
    let dimensions: Int
    private var random = SeededGenerator(seed: 42)
    private var middles: [[Float]] = []
    private var projection: [Float] = []
    private static let latent = 32

    init(dimensions: Int, clusters: Int) {
        self.dimensions = dimensions
        for _ in 0..<clusters { middles.append((0..<Source.latent).map { _ in random.normal() }) }
        projection = (0..<Source.latent * dimensions).map { _ in random.normal() / Float(Source.latent).squareRoot() }
    }

    mutating func next() -> [Float] {
        let middle = middles[Int.random(in: 0..<middles.count, using: &random)]
        var vector = (0..<dimensions).map { _ in 0.05 * random.normal() }
        for place in 0..<Source.latent {
            let value = middle[place] + 0.3 * random.normal()
            for dimension in 0..<dimensions { vector[dimension] += value * projection[place * dimensions + dimension] }
        }
        return vector
    }
}

func seconds(_ work: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(work)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
}

func json(_ vector: [Float]) -> String { "[" + vector.map { "\($0)" }.joined(separator: ",") + "]" }

func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

func line(_ name: String, _ value: Double, _ unit: String) { print("\(name)\t\((value * 1000).rounded() / 1000) \(unit)") }

let arguments = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let count = arguments.first ?? 100_000
let dimensions = arguments.dropFirst().first ?? 128
let place = "/tmp/cblite-bench-vectors-\(getpid())"
guard mkdir(place, 0o700) == 0 else { fatalError("cannot make \(place)") }
defer { for path in [place + "/db.cblite2", place] { _ = unlink(path) } }

var source = Source(dimensions: dimensions, clusters: 2000)
let database = try Database(path: place + "/db.cblite2", options: .create)
let filling = try seconds {
    for start in stride(from: 0, to: count, by: 20_000) {
        try database.write { transaction in
            for number in start..<min(start + 20_000, count) {
                try transaction.save(
                    "d\(number)", body: transaction.encode(json: "{\"part\":\(number % 100),\"vector\":\(json(source.next()))}"))
            }
        }
    }
}
line("documents saved", filling, "s")
_ = try database.write { try $0.createIndex(IndexDefinition(name: "part", .value, "part")) }
let queries = (0..<100).map { _ in json(source.next()) }
let inserted = (0..<200).map { _ in json(source.next()) }
func insert(_ name: String) throws -> Double {
    try median(
        inserted.enumerated().map { number, vector in
            try seconds {
                try database.write { transaction in
                    _ = try transaction.save("\(name)\(number)", body: transaction.encode(json: "{\"vector\":\(vector)}"))
                }
            }
        })
}
let plain = try insert("before")
var options = VectorOptions(dimensions: dimensions, centroids: max(1, Int(Double(count).squareRoot())))
func pages() throws -> Int64 { try database.read { try $0.connection.integer("PRAGMA page_count") ?? 0 } * 4096 }
let sizeBefore = try pages()
line(
    "index built",
    try seconds { _ = try database.write { try $0.createIndex(IndexDefinition(name: "near", .vector(options), "vector")) } }, "s")
let encoded = Double(options.encoding.size(dimensions: dimensions) * count)
line("size over that of the codes", Double(try pages() - sizeBefore) / encoded, "")
let tables = try database.read { try $0.connection.integer("SELECT sum(pgsize) FROM dbstat WHERE name LIKE 'vx!_%' ESCAPE '!'") ?? 0 }
line("the same without the index of sequences", Double(tables) / encoded, "")
line("an insert over one without the index", try insert("after") / plain, "")

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
var usage = rusage()
getrusage(__rusage_who_t(0), &usage)
line("memory at most", Double(usage.ru_maxrss) / 1024, "MiB")
database.close()
