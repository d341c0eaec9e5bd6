import CBLBase
import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore

/// How SQLite goes about a query.
package struct QueryPlan: Sendable {
    /// A row of `EXPLAIN QUERY PLAN`. Steps are parts of others, those of the parent 0 of none.
    package struct Step: Sendable, Hashable {
        package let id: Int
        package let parent: Int
        /// SQLite gives a third number, which means nothing.
        package let unused: Int
        package let detail: String
    }

    package let sql: String
    package let steps: [Step]
    /// The query's JSON form: made from its tree, or what was given.
    package let json: String?
    /// What each step means, in words.
    package let reading: [PlanReading]
    /// What a run came to, if there was one.
    package internal(set) var analysis: QueryAnalysis?

    /// The collections whose documents are all looked at.
    package var scannedCollections: [String] { reading.compactMap(\.scannedCollection) }

    /// The text that the vendor's library gives as an explanation.
    package var text: String {
        var text = sql + "\n\n"
        for step in steps { text += "\(step.id)|\(step.parent)|\(step.unused)| \(step.detail)\n" }
        text += "\n"
        if let json { text += json + "\n" }
        return text
    }

    /// Appends the plan as a JSON object.
    package func append(to buffer: inout ByteBuffer) {
        buffer.append("{\"sql\":")
        JSONWriter.write(string: sql, to: &buffer)
        buffer.append(",\"plan\":[")
        for (place, step) in steps.enumerated() {
            buffer.append(place > 0 ? ",{\"id\":" : "{\"id\":")
            buffer.append(decimal: Int64(step.id))
            buffer.append(",\"parent\":")
            buffer.append(decimal: Int64(step.parent))
            buffer.append(",\"detail\":")
            JSONWriter.write(string: step.detail, to: &buffer)
            buffer.append(",\"meaning\":")
            JSONWriter.write(string: reading[place].text, to: &buffer)
            buffer.append("}")
        }
        buffer.append("]")
        if let json {
            buffer.append(",\"query\":")
            buffer.append(json)
        }
        if let analysis {
            buffer.append(",\"analysis\":")
            analysis.append(to: &buffer)
        }
        buffer.append("}")
    }
}

/// What it took to run a query. SQLite as Debian builds it does not count the rows of each step, only these sums.
package struct QueryAnalysis: Sendable, Hashable {
    /// From the text to what SQLite can run.
    package var compile: Duration = .zero
    /// Until there was a first row, or none.
    package var firstRow: Duration = .zero
    /// From there to the last.
    package var rest: Duration = .zero
    package var rows = 0
    /// Rows that were stepped over in scans of whole tables.
    package var scannedRows = 0
    package var sorts = 0
    /// Rows put into indexes that SQLite made for this one run.
    package var automaticIndexRows = 0
    /// Instructions of SQLite's machine.
    package var machineSteps = 0

    package var total: Duration { compile + firstRow + rest }

    func append(to buffer: inout ByteBuffer) {
        func member(_ name: StaticString, _ value: Int) {
            buffer.append(name)
            buffer.append(decimal: Int64(value))
        }
        func member(_ name: StaticString, _ duration: Duration) {
            buffer.append(name)
            JSONWriter.write(double: (duration / .microseconds(1)).rounded() / 1000, to: &buffer)
        }
        member("{\"rows\":", rows)
        member(",\"scannedRows\":", scannedRows)
        member(",\"sorts\":", sorts)
        member(",\"automaticIndexRows\":", automaticIndexRows)
        member(",\"machineSteps\":", machineSteps)
        member(",\"compileMilliseconds\":", compile)
        member(",\"firstRowMilliseconds\":", firstRow)
        member(",\"restMilliseconds\":", rest)
        buffer.append("}")
    }
}

extension Query {
    /// Asks SQLite how it would run the query.
    package func explain(on snapshot: Snapshot) throws -> QueryPlan {
        let query = try current(on: snapshot)
        try snapshot.registerFunctions()
        try Query.offerVectorTables(query.translated, on: snapshot)
        try SnapshotSchema.makeViews(for: query.translated, on: snapshot)
        var steps: [QueryPlan.Step] = []
        do {
            let statement = try snapshot.connection.prepare("EXPLAIN QUERY PLAN " + query.sql)
            while try statement.step() {
                steps.append(
                    QueryPlan.Step(
                        id: Int(statement.int64(0)), parent: Int(statement.int64(1)), unused: Int(statement.int64(2)),
                        detail: statement.string(3) ?? ""))
            }
        } catch {
            if let failure = error.queryFailure { throw failure }
            throw error
        }
        var reader = PlanReader(query.translated, snapshot)
        let reading = try steps.map { try reader.read($0) }
        return QueryPlan(sql: query.sql, steps: steps, json: query.json, reading: reading)
    }

    /// The plan, and what running it took. The rows are found and thrown away.
    package func analyze(
        on snapshot: Snapshot, parameters: QueryParameters = .none, options: QueryOptions = QueryOptions()
    ) throws -> QueryPlan {
        var plan = try explain(on: snapshot)
        var analysis = QueryAnalysis()
        let start = Instant.now
        // Compiled anew, as it would be for a first run.
        snapshot.connection.releaseStatements()
        let query = try translatedAnew(on: snapshot)
        // The plan is that of SQLite, and so are the counters.
        var options = options
        options.pieces = nil
        let rows = try query.run(on: snapshot, parameters: parameters, options: options)
        guard let statement = rows.running else { return plan }
        for counter in [CBLSQLite.Statement.Counter.fullScanSteps, .sorts, .automaticIndexRows, .machineSteps] {
            _ = statement.take(counter)
        }
        let compiled = Instant.now
        var hasRow = try rows.next()
        let first = Instant.now
        while hasRow { hasRow = try rows.next() }
        analysis.compile = compiled - start
        analysis.firstRow = first - compiled
        analysis.rest = Instant.now - first
        analysis.rows = rows.count
        analysis.scannedRows = statement.take(.fullScanSteps)
        analysis.sorts = statement.take(.sorts)
        analysis.automaticIndexRows = statement.take(.automaticIndexRows)
        analysis.machineSteps = statement.take(.machineSteps)
        plan.analysis = analysis
        return plan
    }
}
