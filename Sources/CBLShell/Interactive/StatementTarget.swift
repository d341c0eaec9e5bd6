import CBLBase
import CBLWorkbench
import Glibc

extension Session {
    /// Runs `work` with its results going where a statement says: into a program, or a file.
    func writing(to target: ShellStatement.Target?, _ work: () throws -> ExitCode) throws -> ExitCode {
        switch target {
        case nil: return try work()
        case .pipe(let command): return try piping(into: command, work)
        case .file(let path, appends: false):
            return try TargetFile.write(path, self) { file in try file === output ? work() : printing(on: file, work) }
        case .file(let path, appends: true):
            let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw CommandError.system(path, errno: errno) }
            defer { close(descriptor) }
            return try printing(on: Output(descriptor: descriptor), work)
        }
    }

    private func piping(into command: String, _ work: () throws -> ExitCode) throws -> ExitCode {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CommandError.failed("cannot make a pipe: \(SystemCall.message(errno))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let child: ChildProcess
        do {
            defer { close(ends[0]) }
            child = try ChildProcess(shell: ["-c", command], input: ends[0])
        } catch {
            close(ends[1])
            throw error
        }
        let result = Result { try printing(on: Output(descriptor: ends[1], isTerminal: false), work) }
        close(ends[1])
        let ending = try ChildProcess.leavingInterruptsToOthers { () throws(CommandError) in try child.wait() }
        ending.startLine(in: self)
        let code: ExitCode
        // A program that has read enough is no failure; one that failed says so itself.
        do { code = try result.get() } catch Output.Failure.closed { code = .success }
        return code == .success && ending != .exit(0) ? .failure : code
    }

    private func printing(on other: Output, _ work: () throws -> ExitCode) throws -> ExitCode {
        let before = (output, terminal)
        defer { (output, terminal) = before }
        output = other
        terminal = Terminal(
            color: options.color, outputIsTerminal: other.isTerminal, errorIsTerminal: terminal.errorIsTerminal,
            inputIsTerminal: terminal.inputIsTerminal, environment: Terminal.environment)
        do {
            let code = try work()
            try output.flush()
            return code
        } catch {
            // What was printed before the error belongs to the reader.
            try? output.flush()
            throw error
        }
    }
}
