import CBLWorkbench

/// Statements that come from a pipe or a file.
extension InteractiveShell {
    /// Runs the statements of a file or a pipe, up to the first that fails.
    func runScript(_ source: InputSource) throws -> ExitCode {
        var code = ExitCode.success
        while !isLeaving, !hasLostTransaction, let bytes = try source.nextLine() {
            guard let line = String(validating: bytes, as: UTF8.self) else {
                throw CommandError.failed("\(source.name): line \(source.lineNumber) is not valid UTF-8")
            }
            reader.append(line)
            code = runStatements(isLast: false, before: code)
            if code != .success, !options.keepsGoing || Interruption.isRequested { return code }
        }
        return isLeaving || hasLostTransaction ? code : runStatements(isLast: true, before: code)
    }

    /// The statements of a file, as if they had been typed here. What fails ends it.
    func runScript(named path: String) throws -> ExitCode {
        guard scriptDepth < 10 else { throw CommandError.failed("\(path): scripts that read scripts go too deep") }
        let source = try InputSource(path)
        let before = reader
        reader = StatementReader(commands: Commands.all, looksAhead: true)
        scriptDepth += 1
        defer {
            scriptDepth -= 1
            reader = before
        }
        return try runScript(source)
    }
}
