import CBLFleece
import CBLFunctions
import CBLLanguage
import CBLSQLite
import CBLStore

/// The rows of a running query, one after another, found as they are asked for. Nothing is copied: what a row gives lies in SQLite's memory
/// and is valid until the next `next`. Hot: the benchmark `star` is this loop.
///
///     while try rows.next() {
///         rows.appendObject(to: &buffer)
///     }
///
/// It belongs to its snapshot, and with it to one thread.
package final class QueryRows {
    package let titles: [String]
    /// Names of parameters that were given no value: they are MISSING.
    package private(set) var unboundParameters: [String] = []
    /// How many rows were found so far.
    @exclusivity(unchecked) package private(set) var count = 0

    private let query: Query
    private let snapshot: Snapshot
    private let keys: SharedKeys
    private let watch: QueryWatch?
    private let readsPagesOnce: Bool
    private let matchesText: Bool
    @exclusivity(unchecked) private var statement: CBLSQLite.Statement?
    /// Tried before the statement is run.
    @exclusivity(unchecked) private var plan: ScanPlan?
    @exclusivity(unchecked) private var computed: (any ComputedRows)?
    @exclusivity(unchecked) private var objectKeys: ObjectKeys?

    init(
        _ query: Query, sql: String, readsPagesOnce: Bool, on snapshot: Snapshot, options: QueryOptions, plan: ScanPlan? = nil
    ) throws {
        self.readsPagesOnce = readsPagesOnce
        self.plan = plan
        self.query = query
        self.snapshot = snapshot
        titles = query.titles
        keys = snapshot.sharedKeys
        watch = .ifNeeded(snapshot.connection, options)
        matchesText = query.matchesText
        do { statement = try snapshot.connection.take(sql) } catch {
            if let failure = error.queryFailure { throw failure }
            throw error
        }
    }

    deinit { finish() }

    func bind(_ parameters: QueryParameters) throws {
        if let statement { unboundParameters = try parameters.bind(to: statement, of: query.translated) }
    }

    /// Goes to the next row; false when there is none.
    @inline(__always)
    package func next() throws -> Bool {
        guard statement != nil else { return false }
        let hasRow: Bool
        do {
            if plan != nil || computed != nil { if let hasRow = try nextComputed() { return hasRow } }
            guard let statement else { return false }
            // Stop words are treated a little differently in the text of a query.
            hasRow =
                matchesText
                ? try FullTextQuery.run { try QueryWatch.watching(watch) { () throws(SQLiteError) in try statement.step() } }
                : try QueryWatch.watching(watch) { () throws(SQLiteError) in try statement.step() }
        } catch {
            finish()
            throw error
        }
        if hasRow { count &+= 1 } else { finish() }
        return hasRow
    }

    /// Nil if the rows have to come from the statement.
    private func nextComputed() throws -> Bool? {
        if let plan {
            self.plan = nil
            computed = try plan.rows(on: snapshot)
            if computed == nil { try snapshot.expect(scan: readsPagesOnce) }
        }
        guard let computed else { return nil }
        if let hasRow = try computed.next() {
            if hasRow { count &+= 1 } else { finish() }
            return hasRow
        }
        self.computed = nil
        if let statement {
            try QueryWatch.watching(watch) { () throws(SQLiteError) in for _ in 0..<count { guard try statement.step() else { return } } }
        }
        return nil
    }

    /// Gives up the rest of the rows. The snapshot can be used for something else before, too.
    package func finish() {
        watch?.detach()
        plan = nil
        computed = nil
        guard let statement else { return }
        self.statement = nil
        snapshot.connection.keep(statement)
    }

    /// The statement while it runs, for its counters.
    var running: CBLSQLite.Statement? { statement }

    package var columnCount: Int { titles.count }

    /// A column of the current row, counted from 0.
    @inline(__always)
    package subscript(column: Int) -> QueryValue {
        if let computed { return computed[column].queryValue }
        guard let statement else { return .missing }
        return QueryValue(column: Int32(truncatingIfNeeded: column), of: statement)
    }

    /// The same as SQLite has it.
    @inline(__always)
    func sqlValue(_ column: Int) -> SQLValue {
        if let computed { return computed[column] }
        guard let statement else { return .null }
        return SQLValue(statement, Int32(truncatingIfNeeded: column))
    }

    /// The names that dictionaries in the columns use.
    package var sharedKeys: SharedKeys { keys }

}

extension QueryRows {
    /// Appends a column as JSON.
    package func append(_ column: Int, style: JSONStyle = .compact, missing: StaticString = "null", to buffer: inout ByteBuffer) {
        self[column].append(to: &buffer, keys: keys, style: style, missing: missing)
    }

    /// Appends the row as an object: `{"name":"Ada","age":36}`. What is MISSING is left out.
    package func appendObject(style: JSONStyle = .compact, to buffer: inout ByteBuffer) {
        let names = objectKeys ?? ObjectKeys(titles)
        objectKeys = names
        buffer.append(UInt8(ascii: "{"))
        var isFirst = true
        for column in 0..<titles.count {
            let value = self[column]
            if value.isMissing { continue }
            if !isFirst { buffer.append(UInt8(ascii: ",")) }
            isFirst = false
            names.append(column, to: &buffer)
            value.append(to: &buffer, keys: keys, style: style)
        }
        buffer.append(UInt8(ascii: "}"))
    }

    /// Appends the row as an array: `["Ada",36]`.
    package func appendArray(style: JSONStyle = .compact, missing: StaticString = "null", to buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: "["))
        for column in 0..<titles.count {
            if column > 0 { buffer.append(UInt8(ascii: ",")) }
            append(column, style: style, missing: missing, to: &buffer)
        }
        buffer.append(UInt8(ascii: "]"))
    }

    /// Writes the row into an encoding, as an array.
    package func write(to encoder: FleeceEncoder) {
        encoder.beginArray()
        for column in 0..<titles.count { self[column].write(to: encoder, keys: keys) }
        encoder.endArray()
    }
}

/// The titles as they stand before the values of an object: `"name":`. Made once for all rows.
private final class ObjectKeys {
    @exclusivity(unchecked) private var text = ByteBuffer()
    @exclusivity(unchecked) private var ends: [Int] = []

    init(_ titles: [String]) {
        for title in titles {
            JSONWriter.write(string: title, to: &text)
            text.append(UInt8(ascii: ":"))
            ends.append(text.count)
        }
    }

    @inline(__always)
    func append(_ column: Int, to buffer: inout ByteBuffer) {
        let start = column == 0 ? 0 : ends[column - 1]
        buffer.append(UnsafeRawBufferPointer(rebasing: text.bytes[start..<ends[column]]))
    }
}
