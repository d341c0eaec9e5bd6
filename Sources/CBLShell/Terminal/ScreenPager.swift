import CBLBase
import CBLFleece
import CBLLanguage
import CBLWorkbench
import Glibc

/// Where the text of one command goes at a terminal: to the screen as long as it fits, and once it does not, all of it to a program that shows
/// it page by page. No more is held back than a screen shows, and that only until somebody would wait for it.
///
/// While the program runs, Ctrl-C belongs to it, and messages wait for its end. If the person leaves it early, whoever writes is told by
/// `Output.Failure.closed`, and whoever computes by `Interruption`.
final class ScreenPager {
    private enum State {
        /// Text has come, and fits so far.
        case collecting
        case running(ChildProcess, pipe: Int32)
        /// There is no such program: everything goes to the screen.
        case absent
    }

    // Long before that, text without line ends fills every screen.
    private static let mostHeld = 256 * 1024

    private let screen: Int32
    private let command: String
    private let rows: Int
    private var lines: ScreenLines
    private var state = State.collecting
    private var held = ByteBuffer()
    /// How much of `held` is on the screen already.
    private var shown = 0
    private var interrupts: (sigaction, sigaction)?
    /// What was said meanwhile, to be read afterwards.
    private var messages: [ScreenText] = []
    /// The program got more than is held.
    private var hasMore = false
    /// The person did not want to see the rest.
    private(set) var wasLeft = false

    /// `rows` is how many lines may stand on the screen without the program; with 0 it runs for any text.
    init(_ command: String, columns: Int, rows: Int, screen: Int32 = STDOUT_FILENO) {
        self.command = command
        self.rows = rows
        self.screen = screen
        lines = ScreenLines(columns: columns)
    }

    var isRunning: Bool { if case .running = state { true } else { false } }
    /// Whether there was more than the screen shows.
    private(set) var hasRun = false

    /// Says something as soon as the screen is ours again; false if it is.
    func postpone(_ message: ScreenText) -> Bool {
        if isRunning { messages.append(message) }
        return isRunning
    }

    /// Takes what comes next.
    func take(_ bytes: UnsafeRawBufferPointer) throws(Output.Failure) {
        switch state {
        case .absent: try Output.send(bytes, to: screen)
        case .running(_, let pipe):
            hasMore = hasMore || !bytes.isEmpty
            try sendToProgram(bytes, pipe)
        case .collecting:
            held.append(bytes)
            lines.add(bytes)
            if !held.bytes.isEmpty, lines.count > rows || held.count > ScreenPager.mostHeld { try start() }
        }
    }

    /// Somebody is waiting: what there is can be seen.
    func show() throws(Output.Failure) {
        guard case .collecting = state, held.count > shown else { return }
        let bytes = UnsafeRawBufferPointer(rebasing: held.bytes[shown...])
        shown = held.count
        try Output.send(bytes, to: screen)
    }

    /// Nothing more comes. Waits until the person has read it.
    func finish() {
        guard case .running(let child, let pipe) = state else {
            try? show()
            return
        }
        close(pipe)
        Interruption.workIsForReader(of: -1)
        let ending = try? child.wait()
        state = .absent
        endIgnoringInterrupts()
        if ending == .exit(127) || ending == .exit(126) {
            // The shell did not find the program. As much as the first screen had is still here.
            try? Output.send(UnsafeRawBufferPointer(rebasing: held.bytes[shown...]), to: screen)
            let isComplete = !wasLeft && !hasMore
            if !isComplete {
                let lineEnd: ScreenText = held.bytes.last == UInt8(ascii: "\n") ? "" : "\n"
                messages.append("\(lineEnd)cblite: the pager \"\(command)\" cannot be run; '.pager off' does without\n")
            }
        }
        for message in messages { StandardError.write(message) }
        messages = []
    }

    private func start() throws(Output.Failure) {
        let bytes = held.bytes
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return try giveUp() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Colours pass, long lines can be scrolled sideways, and what is read stays on the screen, if the person has not said otherwise.
        let settings = "LESS=\"${LESS-RSFX}\" LESSCHARSET=\"${LESSCHARSET-utf-8}\"; export LESS LESSCHARSET; "
        beginIgnoringInterrupts()
        let child = try? ChildProcess(shell: ["-c", settings + command], input: ends[0])
        close(ends[0])
        guard let child else {
            close(ends[1])
            endIgnoringInterrupts()
            return try giveUp()
        }
        state = .running(child, pipe: ends[1])
        hasRun = true
        Interruption.workIsForReader(of: ends[1])
        try sendToProgram(bytes, ends[1])
    }

    private func giveUp() throws(Output.Failure) {
        try show()
        state = .absent
    }

    private func sendToProgram(_ bytes: UnsafeRawBufferPointer, _ pipe: Int32) throws(Output.Failure) {
        do { try Output.send(bytes, to: pipe) } catch {
            if error == .closed { wasLeft = true }
            throw error
        }
    }

    private func beginIgnoringInterrupts() {
        var ignoring = sigaction()
        ignoring.__sigaction_handler.sa_handler = SIG_IGN
        var (interrupt, quit) = (sigaction(), sigaction())
        sigaction(SIGINT, &ignoring, &interrupt)
        sigaction(SIGQUIT, &ignoring, &quit)
        interrupts = (interrupt, quit)
    }

    private func endIgnoringInterrupts() {
        guard var (interrupt, quit) = interrupts else { return }
        sigaction(SIGINT, &interrupt, nil)
        sigaction(SIGQUIT, &quit, nil)
        interrupts = nil
    }
}

extension Session {
    /// Runs `work` with its results on the screen, or in a program that shows them page by page.
    func paging(with pager: ScreenPager, _ work: () throws -> ExitCode) throws -> ExitCode {
        try output.flush()
        let before = output
        output = Output(descriptor: STDOUT_FILENO, isTerminal: true, pager: pager)
        self.pager = pager
        let result = Result { try work() }
        let flushed = Result { try output.flush() }
        // Somebody who leaves while rows are still looked for is noticed there.
        let isForNobody = pager.wasLeft || Interruption.isForNobody
        pager.finish()
        output = before
        self.pager = nil
        do {
            let code = try result.get()
            try flushed.get()
            return code
        } catch {
            // What was not to be seen need not be finished.
            let known = ErrorReport.commandError(error)
            if pager.hasRun, isForNobody, known == nil || known?.exitCode == .interrupted { return .success }
            throw error
        }
    }
}

/// Which program shows long results.
enum PagerCommand {
    /// The one that was set, that of `$PAGER`, `less` or `more`: the first there is. Nil if there is none, or `cat`, which shows no pages.
    static func find(_ wanted: String?, environment: (String) -> String? = Terminal.environment) -> String? {
        let candidates = [wanted, environment("PAGER"), "less", "more"]
        for case let command? in candidates {
            let word = command.drop { $0 == " " }.prefix { $0 != " " && $0 != "\t" }
            if word.isEmpty { continue }
            if word == "cat" { return nil }
            // Only the shell knows what that means.
            if word.contains(where: { "$`'\"\\(){}=;&|<>~*?".contains($0) }) { return command }
            if isProgram(String(word), path: environment("PATH") ?? "/usr/bin:/bin") { return command }
        }
        return nil
    }

    private static func isProgram(_ word: String, path: String) -> Bool {
        if PathText.hasSlash(word) { return access(word, X_OK) == 0 }
        return path.split(separator: ":").contains { access("\($0)/\(word)", X_OK) == 0 }
    }
}
