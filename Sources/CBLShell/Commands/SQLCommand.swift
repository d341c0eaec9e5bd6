import CBLFleece
import CBLSQLite
import CBLStore

import enum CBLLanguage.ColumnTitles
import struct CBLLanguage.Lexer

/// `cblite sql DATABASE STATEMENT`
enum SQLCommand {
    static let declaration = CommandDeclaration(
        "sql", group: .looking,
        summary: "Run SQL on the SQLite file itself",
        discussion: """
            A diagnostic for those who know the tables within the file; it is not the way to query documents. Prints each row as a JSON \
            array, or with --json as an object; on a terminal they are a table, and in the interactive shell what .mode says. Blobs that \
            hold Fleece are printed as the values they stand for, others as x'…'.

            The database is opened for reading only unless --writeable is given. Then the statements, separated by semicolons, are one \
            transaction. The functions that indexes and queries use, such as fl_value(body, 'path'), are there.
            """,
        database: .reads,
        arguments: [Argument("STATEMENT", .text, .rest, "SQL")],
        examples: [
            .init("cblite sql travel.cblite2 'SELECT name, sql FROM sqlite_master'", "The schema."),
            .init("cblite sql travel.cblite2 'SELECT key, body FROM kv_default LIMIT 3'", "Three documents, as they are stored."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.refuseCollection()
        let database = try invocation.database()
        if !database.isReadOnly {
            try database.write { try run(on: $0, invocation) }
        } else {
            try database.read { try run(on: $0, invocation) }
        }
        return .success
    }

    private static func run(on snapshot: Snapshot, _ invocation: Invocation) throws {
        try snapshot.registerFunctions()
        let connection = snapshot.connection
        let isInTransaction = invocation.session.openDatabase?.isInTransaction ?? false
        defer { connection.setProgressCheck(nil) }
        var changesSomething = false
        do {
            try connection.forEachStatement(in: invocation.argument("STATEMENT")) { statement in
                if let word = transactionWord(statement.sql) {
                    throw CommandError.failed(
                        "SQL: \(word) cannot stand there: all statements of one sql are a transaction",
                        hint: "In the interactive shell, begin, commit and rollback are commands.")
                }
                // To interrupt a change is to SQLite to undo the whole transaction, with what was in it before.
                let isInterruptible = !isInTransaction || statement.isReadOnly
                connection.setProgressCheck(isInterruptible ? { _ in Interruption.isRequested ? 1 : 0 } : nil)
                if statement.columnCount > 0 {
                    try writeRows(of: statement, snapshot.sharedKeys, invocation)
                } else {
                    let isChange = !statement.isReadOnly
                    if isChange, !changesSomething { invocation.session.tellOfNoReturn("This") }
                    changesSomething = changesSomething || isChange
                    try statement.step()
                    if isChange { invocation.session.notice("\(connection.changes) \(connection.changes == 1 ? "row" : "rows") changed") }
                }
            }
        } catch let error as SQLiteError where !error.isInterrupted && !error.isBusy && !error.isCorrupt {
            let hint = error.isReadOnly ? "The database was opened for reading only: --writeable allows changes." : nil
            throw CommandError.failed("SQL: \(error.message)", hint: hint)
        }
    }

    /// The word that a statement begins with, if it would begin or end a transaction.
    private static func transactionWord(_ sql: String) -> String? {
        var rest = Substring(sql).utf8
        while true {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: ";")].contains($0) }
            if rest.starts(with: "--".utf8) {
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
            } else if rest.starts(with: "/*".utf8) {
                while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        let word = String(decoding: rest.prefix(while: Lexer.isLetter), as: UTF8.self).uppercased()
        return ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"].contains(word) ? word : nil
    }

    private static func writeRows(of statement: Statement, _ keys: SharedKeys, _ invocation: Invocation) throws {
        let output = invocation.output
        let names = (0..<statement.columnCount).map { statement.columnName($0) }
        let session = invocation.session
        guard !invocation.wantsJSON else {
            while try statement.step() {
                try Interruption.check()
                try session.writeJSON { SQLRow.append(statement, names: names, keys, to: &$0) }
            }
            return
        }
        let mode = session.shell?.settings.mode ?? .table
        if session.output.isTerminal || mode != .table {
            let renderer = mode.renderer(for: session)
            try renderer.begin(ColumnTitles.unique(names.map { _ in nil }, names))
            var showing = RowShowing(renderer, on: session)
            while try statement.step() {
                try Interruption.check()
                try SQLRow.withCells(statement, keys) { try showing.add($0) }
            }
            return try renderer.finish()
        }
        var isFirst = true
        while try statement.step() {
            try Interruption.check()
            try output.write(isFirst ? "[" : ",\n ")
            isFirst = false
            try session.writeJSON(endsLine: false) { SQLRow.append(statement, names: nil, keys, to: &$0) }
        }
        try output.write(isFirst ? "[]\n" : "]\n")
    }
}
