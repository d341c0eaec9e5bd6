import CBLBase
import CBLLanguage
import CBLSystemLibEdit
import Glibc

/// A line typed at a terminal, with libedit: emacs and vi keys, `~/.editrc`, history, completion, wide characters.
///
///     let editor = try LineEditor(showsOnErrors: false)
///     editor.onCompletion = { line in … }
///     while case .text(let line) = editor.read(prompt: "travel> ") { … }
///
/// Signals that come while it waits for a key change nothing behind its back: they are looked at where keys are read (`TerminalKeys`).
final class LineEditor {
    enum Line: Equatable {
        case text(String)
        /// Ctrl-C: the line is forgotten.
        case interrupted
        /// Ctrl-D on an empty line, or the terminal has gone.
        case end
        /// The process was asked to end, by this signal.
        case terminated(Int32)
    }

    /// Asked when Tab is pressed, with the line up to the cursor and behind it.
    var onCompletion: (String, String) -> Completion = { _, _ in .none }

    /// How the line looks; nil if there are to be no colours.
    var decoration: LineDecoration?

    private static let longestHistory: Int32 = 10_000

    private var library: cblite_edit
    private let line: OpaquePointer
    private let history: OpaquePointer
    private var keys: TerminalKeys
    private var prompt: UnsafeMutablePointer<CChar>?
    private var isInterrupted = false
    private var entries: [String] = []
    /// How far back Alt-. went to the word that it has just put into the line, and how long that is.
    private var lastWord: (steps: Int, length: Int)?
    /// What the history has that begins with the line, behind that; what of it is on the screen.
    private var suggestion = ""
    private var shownSuggestion = ""
    private let screen: Int32

    init(showsOnErrors: Bool) throws(CommandError) {
        LineEditor.chooseEncoding()
        guard let library = LineEditor.library else {
            throw .failed("the line editor \(CBLITE_EDIT_LIBRARY) is not installed (Debian package libedit2)")
        }
        self.library = library
        screen = showsOnErrors ? STDERR_FILENO : STDOUT_FILENO
        guard let line = cblite_edit_open(&self.library, "cblite", showsOnErrors), let history = library.history_init() else {
            throw .failed("the terminal cannot be used for editing lines")
        }
        self.line = line
        self.history = history
        keys = TerminalKeys(screen: screen)
        cblite_edit_set_owner(&self.library, line, Unmanaged.passUnretained(self).toOpaque())
        cblite_edit_set_prompt(&self.library, line) { line in LineEditor.of(line)?.prompt }
        cblite_edit_set_reader(&self.library, line) { line, key in
            guard let editor = LineEditor.of(line), let key else { return -1 }
            return editor.readKey(into: key)
        }
        cblite_edit_set_history(&self.library, line, history, LineEditor.longestHistory)
        cblite_edit_set_editor(&self.library, line, "emacs")
        addCommands()
        bindKeys()
        _ = library.source(line, nil)
        // Choosing vi's keys in ~/.editrc forgets all others.
        if cblite_edit_is_vi(&self.library, line) { bindKeys() }
    }

    deinit {
        library.end(line)
        library.history_end(history)
        free(prompt)
    }

    // libedit works with the encoding of the process, and everything here is UTF-8.
    private static func chooseEncoding() {
        setlocale(LC_CTYPE, "")
        if let name = nl_langinfo(nl_item(CODESET)), String(cString: name) == "UTF-8" { return }
        setlocale(LC_CTYPE, "C.UTF-8")
    }

    /// Lets the person type a line. Between two characters U+0001 the prompt may hold escape sequences.
    func read(prompt text: ScreenText) -> Line {
        free(prompt)
        prompt = strdup(text.text)
        isInterrupted = false
        lastWord = nil
        suggestion = ""
        shownSuggestion = ""
        Interruption.clear()
        keys.begin()
        // Otherwise only the first wait for a key prepares the terminal, and what was typed a little earlier shows twice.
        cblite_edit_prepare_terminal(&library, line, true)
        var count: Int32 = 0
        let typed = library.gets(line, &count).map { String(cString: $0) }
        // A Ctrl-C that came behind the last key is meant for the work that begins now.
        let signal = keys.end()
        if let signal { return .terminated(signal) }
        if isInterrupted { return .interrupted }
        guard let typed, count > 0 else { return .end }
        return .text(typed.hasSuffix("\n") ? String(typed.dropLast()) : typed)
    }

    /// What the arrow keys and Ctrl-R go through, the oldest first.
    func setHistory(_ entries: [String]) {
        cblite_edit_clear_history(&library, history)
        for entry in entries { cblite_edit_enter_history(&library, history, entry) }
        self.entries = entries
    }

    /// Adds what was typed last.
    func addToHistory(_ entry: String) {
        cblite_edit_enter_history(&library, history, entry)
        entries.append(entry)
    }

    /// The functions of the library, once they have been loaded.
    nonisolated(unsafe) private static let library: cblite_edit? = {
        var library = cblite_edit()
        return cblite_edit_load(&library) ? library : nil
    }()

    /// The editor that libedit calls back about.
    private static func of(_ line: OpaquePointer?) -> LineEditor? {
        guard var library, let owner = cblite_edit_owner(&library, line) else { return nil }
        return Unmanaged<LineEditor>.fromOpaque(owner).takeUnretainedValue()
    }
}

extension LineEditor {
    private func addCommands() {
        cblite_edit_add_command(&library, line, "cblite-complete", "Complete the word") { line, _ in
            LineEditor.of(line)?.complete() ?? UInt8(CC_ERROR)
        }
        cblite_edit_add_command(&library, line, "cblite-last-word", "Insert the last word of the statement before") { line, _ in
            LineEditor.of(line)?.insertLastWord() ?? UInt8(CC_ERROR)
        }
        cblite_edit_add_command(&library, line, "cblite-next-char", "Move on, or take what is suggested") { line, _ in
            LineEditor.of(line)?.moveOn(toEnd: false) ?? UInt8(CC_ERROR)
        }
        cblite_edit_add_command(&library, line, "cblite-end", "Move to the end, or take what is suggested") { line, _ in
            LineEditor.of(line)?.moveOn(toEnd: true) ?? UInt8(CC_ERROR)
        }
    }

    private func bindKeys() {
        cblite_edit_bind(&library, line, "\t", "cblite-complete", false)
        guard cblite_edit_is_vi(&library, line) else {
            for binding in KeyBindings.ofEmacs { cblite_edit_bind(&library, line, binding.keys, binding.command, false) }
            return
        }
        for binding in KeyBindings.ofVi { cblite_edit_bind(&library, line, binding.keys, binding.command, true) }
        // Nothing else searches while one inserts.
        for isCommandMode in [false, true] { cblite_edit_bind(&library, line, "^R", "em-inc-search-prev", isCommandMode) }
    }

    /// Alt-. puts the last word of the last statement where the cursor is; pressed again, that of the one before instead.
    private func insertLastWord() -> UInt8 {
        let known = lastWord
        let steps = (known?.steps ?? 0) + 1
        guard entries.count >= steps, let word = LineEditor.lastWord(of: entries[entries.count - steps]) else { return UInt8(CC_ERROR) }
        if let known, known.length > 0 { library.erase(line, Int32(known.length)) }
        _ = library.insert(line, word)
        lastWord = (steps, word.unicodeScalars.count)
        return UInt8(CC_REFRESH)
    }

    static func lastWord(of statement: String) -> String? {
        var lexer = WordLexer(Array(statement.utf8))
        var last: String?
        while true {
            lexer.skipBlanks()
            let start = lexer.position
            switch lexer.next() {
            case .word, .unfinished: last = String(decoding: lexer.bytes[start..<max(start, lexer.position)], as: UTF8.self)
            case .end: return last
            case .newline, .semicolon, .pipe, .redirection: break
            }
            if lexer.position == start { return last }
        }
    }

    /// What the keys that go right do. At the end of the line they take what is suggested.
    private func moveOn(toEnd: Bool) -> UInt8 {
        let behind = typed.behind.unicodeScalars.count
        if behind > 0 {
            _ = library.cursor(line, toEnd ? Int32(behind) : 1)
            return UInt8(CC_CURSOR)
        }
        guard !suggestion.isEmpty else { return UInt8(CC_CURSOR) }
        _ = library.insert(line, suggestion)
        return UInt8(CC_REFRESH)
    }

    /// Draws the line in colours, while one thinks about the next key.
    private func decorate(isLast: Bool = false) {
        guard let decoration else { return }
        let (before, behind) = typed
        // While Ctrl-R searches, libedit keeps what is searched for in the line, behind its end.
        guard !(before + behind).utf8.contains(UInt8(ascii: "\n")) else { return }
        let width = max(1, Terminal.width(of: screen))
        let shownPrompt = prompt.map { String(cString: $0) } ?? ""
        let place = LineDecoration.Place(
            columns: width, indent: LineEditor.width(ofShown: Substring(shownPrompt).unicodeScalars), line: before + behind,
            cursor: before.utf8.count)
        suggestion = behind.isEmpty && !isLast && decoration.earlier.isEmpty ? suggested(behind: before) : ""
        shownSuggestion = LineDecoration.fitting(suggestion, place)
        guard let drawing = decoration.drawing(place, suggestion: shownSuggestion, marksBrackets: !isLast) else {
            shownSuggestion = ""
            return
        }
        keys.write(drawing)
    }

    /// The rest of the last statement that began so.
    private func suggested(behind text: String) -> String {
        guard !text.isEmpty, let entry = entries.last(where: { $0.utf8.count > text.utf8.count && $0.utf8.starts(with: text.utf8) }) else {
            return ""
        }
        let rest = String(decoding: entry.utf8.dropFirst(text.utf8.count), as: UTF8.self)
        return rest.unicodeScalars.contains(where: { $0.value < 0x20 || TerminalText.isHarmful($0) }) ? "" : rest
    }

    /// Before anything is done with the next key.
    private func takeSuggestionAway() {
        if !shownSuggestion.isEmpty { keys.write("\u{1B}[K") }
        shownSuggestion = ""
    }

    /// The line up to the cursor, and behind it.
    private var typed: (before: String, behind: String) {
        guard let info = library.line(line)?.pointee else { return ("", "") }
        func text(_ start: UnsafePointer<CChar>, _ end: UnsafePointer<CChar>) -> String {
            String(decoding: UnsafeRawBufferPointer(start: start, count: end - start), as: UTF8.self)
        }
        return (text(info.buffer, info.cursor), text(info.cursor, info.lastchar))
    }

    private var beforeCursor: String { typed.before }

    private func complete() -> UInt8 {
        let (text, behind) = typed
        let completion = onCompletion(text, behind)
        guard !completion.candidates.isEmpty else { return UInt8(CC_REFRESH_BEEP) }
        let typed = text.unicodeScalars.suffix(completion.length)
        let inserted = completion.insertion
        // What the candidates have in common is less than what was typed if some are in backquotes.
        let isMore = completion.candidates.count == 1 || inserted.unicodeScalars.count >= typed.count
        if isMore, !inserted.unicodeScalars.elementsEqual(typed) {
            if completion.length > 0 { library.erase(line, Int32(completion.length)) }
            _ = library.insert(line, inserted)
            return UInt8(CC_REFRESH)
        }
        guard completion.candidates.count > 1 else { return UInt8(CC_REFRESH_BEEP) }
        let listing = completion.listing(width: Terminal.width(of: screen), height: LineEditor.height(of: screen))
        keys.write("\r\n\(ScreenText(lines: listing, lineEnd: "\r\n"))")
        return UInt8(CC_REDISPLAY)
    }

    /// Rows of the screen.
    private static func height(of screen: Int32) -> Int {
        var size = winsize()
        return ioctl(screen, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 ? Int(size.ws_row) : 24
    }

    private func resize() {
        eraseLine()
        library.resize(line)
        cblite_edit_refresh(&library, line)
    }

    /// Takes the line off the screen, to be drawn anew: libedit draws from where the cursor is. Terminals that have changed their width have
    /// broken the line anew, which libedit knows nothing of: where it begins follows from how wide it is.
    private func eraseLine() {
        let width = max(1, Terminal.width(of: screen))
        let prompt = self.prompt.map { String(cString: $0) } ?? ""
        let shown = (prompt + beforeCursor).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        let rows = shown.reduce(-1) { $0 + 1 + LineEditor.width(ofShown: $1) / width }
        let upwards: ScreenText = rows > 0 ? "\u{1B}[\(rows)A" : ""
        keys.write("\r\(upwards)\u{1B}[J")
    }

    // Without what stands between the marks of a prompt.
    private static func width(ofShown text: Substring.UnicodeScalarView) -> Int {
        let parts = text.split(separator: "\u{1}", omittingEmptySubsequences: false)
        return parts.enumerated().reduce(0) { $0 + ($1.offset.isMultiple(of: 2) ? DisplayWidth.of(String($1.element)) : 0) }
    }

    /// Called by libedit for every key.
    private func readKey(into key: UnsafeMutablePointer<wchar_t>) -> Int32 {
        while true {
            if !keys.hasInput { decorate() }
            let event = keys.next()
            takeSuggestionAway()
            switch event {
            case .key(let scalar):
                if scalar == "\r" || scalar == "\n" { decorate(isLast: true) }
                if scalar != "\u{1B}", scalar != "." { lastWord = nil }
                key.pointee = wchar_t(scalar.value)
                return 1
            case .interrupted:
                // Return ends the line in every map of keys, and leaves the cursor where the next one can begin.
                isInterrupted = true
                key.pointee = wchar_t(UInt8(ascii: "\n"))
                return 1
            case .pasted(let text):
                eraseLine()
                _ = library.insert(line, text)
                cblite_edit_refresh(&library, line)
            case .resized: resize()
            case .suspended:
                cblite_edit_prepare_terminal(&library, line, false)
                keys.suspend()
                cblite_edit_prepare_terminal(&library, line, true)
                library.resize(line)
                cblite_edit_refresh(&library, line)
            case .end: return 0
            }
        }
    }
}
