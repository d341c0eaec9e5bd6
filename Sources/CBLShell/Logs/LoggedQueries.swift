import CBLBase

/// How long the queries of a log took. The vendor's library tells both halves apart: what a query says when it is compiled, and what it came to each
/// time that it is run.
struct LoggedQueries {
    struct Run {
        var microseconds: UInt64
        var seconds: Double
        var rows: Int
        var text: String
    }

    private static let mostTexts = 10_000
    private static let mostShown = 10

    private(set) var count = 0
    /// The ones that took the longest, the slowest first.
    private(set) var slowest: [Run] = []
    private var texts: [String: String] = [:]

    /// `Compiling N1QL query: SELECT …`, `Created on {Query#3} with 7 rows (120 bytes) in 34.567ms`
    mutating func add(_ record: LogRecord) {
        guard record.domain == "Query" else { return }
        let message = record.message[...]
        if message.hasPrefix("Compiling "), let mark = message.firstRange(of: " query: ") {
            if texts.count < LoggedQueries.mostTexts { texts[LoggedObject.last(of: record.object)] = String(message[mark.upperBound...]) }
        } else if let rest = message.behind("Created on {"), let end = rest.firstIndex(of: "}"),
            let time = rest.firstRange(of: " bytes) in "),
            let milliseconds = Double(rest[time.upperBound...].prefix { $0.isNumber || $0 == "." }), (0...1e12).contains(milliseconds)
        {
            let rows = rest[end...].behind("} with ").flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
            count += 1
            add(
                Run(
                    microseconds: record.microseconds, seconds: milliseconds / 1000, rows: rows,
                    text: texts[String(rest[..<end])] ?? String(rest[..<end])))
        }
    }

    private mutating func add(_ run: Run) {
        guard slowest.count < LoggedQueries.mostShown || run.seconds > slowest[slowest.count - 1].seconds else { return }
        slowest.insert(run, at: slowest.firstIndex { $0.seconds < run.seconds } ?? slowest.count)
        if slowest.count > LoggedQueries.mostShown { slowest.removeLast() }
    }
}

/// The object that a message is about: `/Repl#1/Puller#5/`, or what older releases wrote.
enum LoggedObject {
    /// `Puller#5`
    static func last(of path: String) -> String { path.split(separator: "/").last.map { String($0) } ?? path }

    /// The replicator that it belongs to, and whose parts have numbers of their own: `C4Replicator#1`, `Repl#2`
    static func replicator(in path: String) -> String? {
        path.split(separator: "/").first { $0.contains("Repl#") || $0.hasPrefix("C4Repl") }.map { String($0) }
    }
}

extension Substring {
    /// What stands behind a beginning, if it has that.
    func behind(_ beginning: String) -> Substring? { hasPrefix(beginning) ? dropFirst(beginning.count) : nil }
}
