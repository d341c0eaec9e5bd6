import CBLBase
import CBLLanguage
import CBLQuery
import CBLStore
import CBLWorkbench

/// The one place where errors of the layers below become a message and an exit code.
enum ErrorReport {
    /// What to tell about an error, or nil if there is nothing to say: the reader of a pipe has gone.
    static func commandError(_ error: any Error) -> CommandError? {
        switch error {
        case let error as CommandError: error
        case let error as StoreError:
            CommandError(exitCode(error.code), text(error), hint: hint(error.code) ?? hint(onModelIn: error.description))
        case let error as WorkbenchError: commandError(workbench: error)
        case let error as FileError: .failed(error.message)
        case QueryFailure.cancelled: .interrupted
        case let error as QueryFailure: .failed(error.description, hint: hint(onModelIn: error.description))
        case let error as Bell.Failure: .system("a pipe", errno: error.errno)
        case Output.Failure.closed: nil
        case Output.Failure.system(let code): .failed("cannot write the output: \(SystemCall.message(code))")
        default: .failed("\(error)")
        }
    }

    /// What to do about it, where that is not obvious.
    static func hint(_ code: StoreError.Code) -> String? {
        if code == .version1 {
            return "cp OLD NEW.cblite2 makes one that can be changed; --upgrade converts it in its place, and keeps a copy."
        }
        if code == .needsKey {
            return "--password asks for the password, or for the key; --password=:@FILE and --key=:@FILE have it in a file."
        }
        guard code == .foreignSchema else { return nil }
        return
            "check tells more, check --repair takes such things out, and check --salvage NEW.cblite2 carries the documents into a new database."
    }

    /// What a model's program has done is told without the SQL that asked it.
    private static func text(_ error: StoreError) -> String {
        guard let cause = error.cause, ModelFailure.isTold(by: cause.message) else { return error.description }
        return error.path.map { "\($0): \(cause.message)" } ?? cause.message
    }

    /// How a query or an index gets a model that it asks for.
    static func hint(onModelIn message: String) -> String? {
        let start = "Unknown ML model name '"
        guard let place = message.ranges(of: start).last, let name = message[place.upperBound...].split(separator: "'").first else {
            return nil
        }
        return "--model \(name)=PROGRAM says which program answers for it."
    }

    static func commandError(workbench error: WorkbenchError) -> CommandError {
        let hint: String? =
            switch error {
            case .unknownRevision: "'cblite revs' lists its revisions."
            case .isDeletion: "'cblite rm' deletes the document."
            case .noPartInConflict(_, let all), .severalCompete(let all): "In conflict are \(WorkbenchError.list(all))."
            case .ambiguousRevision, .notDeleted, .propertiesGone, .isCurrent, .notKept, .notInConflict, .noPlace: nil
            }
        return .failed(error.description, hint: hint)
    }

    static func exitCode(_ code: StoreError.Code) -> ExitCode {
        switch code {
        case .conflict: .conflict
        case .interrupted: .interrupted
        case .notADatabase, .needsKey, .wrongKey, .version1, .tooNew, .tooOld: .cannotOpen
        case .notFound, .exists, .busy, .notOpen, .corrupt, .foreignSchema, .readOnly, .invalidName, .invalidDocument, .refused,
            .invalidRevision, .fromFuture,
            .unsupported,
            .diskFull,
            .transactionOpen, .noTransaction, .inputOutput:
            .failure
        }
    }

    /// One line for programs: `{"error":{"code":"usage","exit":2,"message":"…"}}`.
    static func json(_ error: CommandError) -> String {
        let hint = error.hint.map { ",\"hint\":\(quoted($0))" } ?? ""
        let code = "\"code\":\"\(name(error.exitCode))\",\"exit\":\(error.exitCode.rawValue)"
        return "{\"error\":{\(code),\"message\":\(quoted(error.message))\(hint)}}"
    }

    private static func name(_ code: ExitCode) -> String {
        switch code {
        case .success: "success"
        case .failure: "failed"
        case .usage: "usage"
        case .cannotOpen: "cannotOpen"
        case .conflict: "conflict"
        case .interrupted: "interrupted"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where TerminalText.isHarmful(scalar): result += TerminalText.escape(scalar)
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
