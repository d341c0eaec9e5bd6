import Glibc

/// What is known of the screen: who is watching, how wide it is, whether colours are wanted.
struct Terminal: Sendable {
    let outputIsTerminal: Bool
    let errorIsTerminal: Bool
    let inputIsTerminal: Bool
    let usesColor: Bool
    /// The same for what is said on standard error.
    let errorUsesColor: Bool

    init(color: GlobalOptions.Color = .auto) {
        self.init(
            color: color, outputIsTerminal: isatty(STDOUT_FILENO) == 1, errorIsTerminal: isatty(STDERR_FILENO) == 1,
            inputIsTerminal: isatty(STDIN_FILENO) == 1, environment: Terminal.environment)
    }

    init(
        color: GlobalOptions.Color, outputIsTerminal: Bool, errorIsTerminal: Bool, inputIsTerminal: Bool,
        environment: (String) -> String?
    ) {
        self.outputIsTerminal = outputIsTerminal
        self.errorIsTerminal = errorIsTerminal
        self.inputIsTerminal = inputIsTerminal
        self.usesColor =
            switch color {
            case .always: true
            case .never: false
            case .auto: Terminal.wantsColor(outputIsTerminal, environment)
            }
        // A log that messages go to is read by nobody who wants colours.
        errorUsesColor = errorIsTerminal && (color == .always || color == .auto && Terminal.wantsColor(true, environment))
    }

    private init(_ other: Terminal, outputIsTerminal: Bool, usesColor: Bool, errorUsesColor: Bool) {
        self.outputIsTerminal = outputIsTerminal
        errorIsTerminal = other.errorIsTerminal
        inputIsTerminal = other.inputIsTerminal
        self.usesColor = usesColor
        self.errorUsesColor = errorUsesColor
    }

    /// The same for whoever wants none.
    var withoutColor: Terminal { Terminal(self, outputIsTerminal: outputIsTerminal, usesColor: false, errorUsesColor: false) }

    /// The same, while a file takes the place of standard output.
    func withFileAsOutput(usesColor: Bool) -> Terminal {
        Terminal(self, outputIsTerminal: false, usesColor: usesColor, errorUsesColor: errorUsesColor)
    }

    // https://no-color.org: any value but the empty one counts. https://bixense.com/clicolors for the other two.
    private static func wantsColor(_ isTerminal: Bool, _ environment: (String) -> String?) -> Bool {
        if let value = environment("NO_COLOR"), !value.isEmpty { return false }
        if let value = environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
        return isTerminal && environment("CLICOLOR") != "0" && environment("TERM") != "dumb"
    }

    /// A variable of the process's environment.
    static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Columns of the screen, asked anew each time: windows change.
    var width: Int { Terminal.width(of: STDOUT_FILENO, STDERR_FILENO) }

    /// Lines of the screen.
    var height: Int {
        var size = winsize()
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 {
            return Int(size.ws_row)
        }
        return Terminal.environment("LINES").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 24
    }

    /// Columns of the first of these that is a terminal.
    static func width(of descriptors: Int32...) -> Int {
        var size = winsize()
        for descriptor in descriptors where ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 {
            return Int(size.ws_col)
        }
        return Terminal.environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
    }
}
