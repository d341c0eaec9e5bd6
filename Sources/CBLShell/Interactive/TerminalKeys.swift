import CBLBase
import CBLLanguage
import CBLWorkbench
import Glibc
import Synchronization

/// Reads keys from the terminal one by one, with what may come instead: signals, and text that is pasted as a whole.
///
/// While a line is typed the signals are blocked except when it waits. Other threads take them at any time. Whoever does rings a bell, so that
/// none is lost between a look and the wait.
struct TerminalKeys {
    enum Event {
        case key(Unicode.Scalar)
        /// A text between the marks that terminals put round what is pasted, when asked to.
        case pasted(String)
        case interrupted
        case resized
        case suspended
        /// Nothing more comes.
        case end
    }

    private static let watched = [SIGWINCH, SIGTSTP, SIGTERM, SIGHUP]
    private static let resized = Atomic(false)
    private static let suspended = Atomic(false)
    private static let ending = Atomic<Int32>(0)
    /// Rings when one of the signals has come; nil if there were no descriptors left.
    private static let bell: Bell? = try? Bell()

    /// The keys come from here: the terminal once more, to be read without waiting, which is nobody else's affair. A Ctrl-C takes away
    /// what was there a moment ago, and whoever waited in `read` then would hear of nothing. If it cannot be had, the input as it is.
    private static let keyboard: Int32 = {
        guard tcgetsid(STDIN_FILENO) == getsid(0) else { return STDIN_FILENO }
        let terminal = open("/dev/tty", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return terminal >= 0 ? terminal : STDIN_FILENO
    }()

    private static let pasteBegin = Array("\u{1B}[200~".utf8)
    private static let pasteEnd = Array("\u{1B}[201~".utf8)

    private let screen: Int32
    private let marksPastes: Bool
    /// Bytes that were read on the search for the mark of a paste and are none.
    private var pending: [UInt8] = []
    private var isAtEnd = false
    private var actions: [sigaction] = []
    private var quit = sigaction()
    private var mask = sigset_t()

    init(screen: Int32) {
        self.screen = screen
        marksPastes = !["dumb", "", nil].contains(Terminal.environment("TERM"))
    }

    /// Takes over the signals, before a line is typed.
    mutating func begin() {
        TerminalKeys.resized.store(false, ordering: .relaxed)
        TerminalKeys.suspended.store(false, ordering: .relaxed)
        TerminalKeys.ending.store(0, ordering: .relaxed)
        // Touched here so that a handler never initialises it.
        TerminalKeys.bell?.reset()
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for signal in TerminalKeys.watched + [SIGINT] { sigaddset(&blocked, signal) }
        pthread_sigmask(SIG_BLOCK, &blocked, &mask)
        actions = TerminalKeys.watched.map { signal in
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { signal in
                switch signal {
                case SIGWINCH: TerminalKeys.resized.store(true, ordering: .relaxed)
                case SIGTSTP: TerminalKeys.suspended.store(true, ordering: .relaxed)
                default: TerminalKeys.ending.store(signal, ordering: .relaxed)
                }
                TerminalKeys.bell?.ring()
            }
            var before = sigaction()
            sigaction(signal, &action, &before)
            return before
        }
        // Ctrl-\ is to end work that does not heed Ctrl-C. Here is none, and a slip of the finger would cost the session.
        var ignoring = sigaction()
        ignoring.__sigaction_handler.sa_handler = SIG_IGN
        sigaction(SIGQUIT, &ignoring, &quit)
        if marksPastes { write("\u{1B}[?2004h") }
    }

    /// Gives the signals back. The one that asked the process to end is the result.
    mutating func end() -> Int32? {
        if marksPastes { write("\u{1B}[?2004l") }
        for (signal, action) in zip(TerminalKeys.watched, actions) {
            var action = action
            sigaction(signal, &action, nil)
        }
        sigaction(SIGQUIT, &quit, nil)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        let signal = TerminalKeys.ending.load(ordering: .relaxed)
        return signal == 0 ? nil : signal
    }

    /// Waits for the next one.
    mutating func next() -> Event {
        while true {
            TerminalKeys.bell?.reset()
            if TerminalKeys.ending.load(ordering: .relaxed) != 0 { return .end }
            if Interruption.isRequested {
                Interruption.clear()
                pending = []
                return .interrupted
            }
            if TerminalKeys.suspended.exchange(false, ordering: .relaxed) { return .suspended }
            if TerminalKeys.resized.exchange(false, ordering: .relaxed) { return .resized }
            guard pending.isEmpty else { return scalar(pending.removeFirst()) }
            if isAtEnd { return .end }
            guard waitForKey(), let byte = read() else { continue }
            if byte == 0x1B, marksPastes, let text = paste() { return .pasted(text) }
            return scalar(byte)
        }
    }

    /// False if a signal came instead.
    private mutating func waitForKey() -> Bool {
        var awaited = [TerminalKeys.keyboard, Interruption.descriptor, TerminalKeys.bell?.descriptor ?? -1].map { descriptor in
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        }
        var blocked = sigset_t()
        pthread_sigmask(SIG_SETMASK, &mask, &blocked)
        let count = poll(&awaited, 3, -1)
        pthread_sigmask(SIG_SETMASK, &blocked, nil)
        return count > 0 && awaited[0].revents != 0
    }

    /// Stops the process, as the key asked for, until somebody lets it go on.
    mutating func suspend() {
        if marksPastes { write("\u{1B}[?2004l") }
        raise(SIGSTOP)
        if marksPastes { write("\u{1B}[?2004h") }
    }

    /// Writes to the screen past libedit: control sequences, and lists that the line is drawn below again.
    func write(_ text: ScreenText) {
        var text = text.text
        text.withUTF8 { _ = SystemCall.writeAll(UnsafeRawBufferPointer($0), to: screen) }
    }

    /// Nil if nothing is there, or nothing more comes.
    private mutating func read() -> UInt8? {
        if !pending.isEmpty { return pending.removeFirst() }
        var byte: UInt8 = 0
        let count = SystemCall.retrying { Glibc.read(TerminalKeys.keyboard, &byte, 1) }
        if count == 1 { return byte }
        if count == 0 || errno != EAGAIN { isAtEnd = true }
        return nil
    }

    /// The next byte, whenever it comes; nil if the person gives up waiting, or nothing more comes.
    private mutating func awaitByte() -> UInt8? {
        while true {
            if let byte = read() { return byte }
            if isAtEnd || Interruption.isRequested || TerminalKeys.ending.load(ordering: .relaxed) != 0 { return nil }
            _ = waitForKey()
        }
    }

    /// The scalar that begins with a byte. What is not UTF-8 becomes the replacement character.
    private mutating func scalar(_ first: UInt8) -> Event {
        guard first >= 0x80 else { return .key(Unicode.Scalar(first)) }
        var bytes = [first]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        while bytes.count < length, hasMore, let byte = read() {
            bytes.append(byte)
            if byte & 0xC0 != 0x80 { break }
        }
        return .key(String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}")
    }

    /// Whether there is something already.
    var hasInput: Bool {
        if !pending.isEmpty { return true }
        var poll = pollfd(fd: TerminalKeys.keyboard, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 0) > 0
    }

    // A key's bytes come together: a short wait tells the Escape key from what begins with the same byte.
    private var hasMore: Bool {
        if !pending.isEmpty { return true }
        var poll = pollfd(fd: TerminalKeys.keyboard, events: Int16(POLLIN), revents: 0)
        return Glibc.poll(&poll, 1, 30) > 0
    }

    /// After an escape: the text that is pasted, or nil if something else follows, which is then read again.
    private mutating func paste() -> String? {
        var seen: [UInt8] = []
        for expected in TerminalKeys.pasteBegin.dropFirst() {
            guard hasMore, let byte = read() else { break }
            seen.append(byte)
            if byte != expected { break }
        }
        guard seen.elementsEqual(TerminalKeys.pasteBegin.dropFirst()) else {
            pending = seen + pending
            return nil
        }
        var text: [UInt8] = []
        while !text.reversed().starts(with: TerminalKeys.pasteEnd.reversed()), let byte = awaitByte() { text.append(byte) }
        if text.reversed().starts(with: TerminalKeys.pasteEnd.reversed()) { text.removeLast(TerminalKeys.pasteEnd.count) }
        return TerminalKeys.plain(String(decoding: text, as: UTF8.self))
    }

    /// Lines end as everywhere else. What could do something to the line, or make it look like another, is left out, and tabs are spaces.
    static func plain(_ text: String) -> String {
        var result = ""
        var last: Unicode.Scalar = " "
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\r": result += "\n"
            case "\n": if last != "\r" { result += "\n" }
            case "\t": result += "    "
            case _ where TerminalText.isHarmful(scalar): break
            default: result.unicodeScalars.append(scalar)
            }
            last = scalar
        }
        // The end of the last line is not meant as the key that sends them all.
        while result.unicodeScalars.last == "\n" { result.unicodeScalars.removeLast() }
        return result
    }
}
