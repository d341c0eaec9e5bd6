/// The tour in the interactive shell: before each prompt it tells what comes next, and an empty line runs it.
extension InteractiveShell {
    /// The tour alone, without a database that was open before.
    static func runTour(copyOf path: String?, in session: Session) throws -> ExitCode {
        start(in: session) { shell in
            let code = try shell.beginTour(copyOf: path)
            return shell.isOnTerminal ? try shell.converse() : code
        }
    }

    /// Begins a tour, or off a terminal goes through all of it.
    func beginTour(copyOf path: String?) throws -> ExitCode {
        guard tour == nil else { throw CommandError.failed("the tour is under way already", hint: "\"quit\" ends it.") }
        let tour = try Tour(copyOf: path, isAlone: databases.entries.isEmpty)
        self.tour = tour
        enter(tour.database)
        if isOnTerminal { return .success }
        defer { endTour() }
        return try runWholeTour(tour)
    }

    /// Goes back to the database that was open before the tour.
    func endTour() {
        guard let tour else { return }
        self.tour = nil
        discard(tour.database)
    }

    /// Tells what the next step is about. Behind the last one the tour is over.
    func announceTour() throws {
        guard let tour, !tour.isAnnounced else { return }
        tour.isAnnounced = true
        guard let step = tour.step else { return try sayGoodbye() }
        if tour.position == 0 {
            try write(
                paragraph:
                    "A tour of cblite, on a sample database of its own. Return runs what is shown; \"skip\" passes over it, \"quit\" ends the "
                    + "tour, and whatever else you type is run in between.", endsWithBlank: false)
        }
        try write(step, number: tour.position + 1)
        try session.write("  \(step.command)", .key)
        try session.output.write("\n\n")
        try session.output.flush()
    }

    private func sayGoodbye() throws {
        let isAlone = tour?.isAlone ?? false
        try write(
            paragraph: isAlone
                ? "That was the tour. The sample is still open: try what you like. Ctrl-D leaves, and takes the copy away."
                : "That was the tour.")
        try session.output.flush()
        if !isAlone { endTour() }
    }

    /// What a line means during the tour: the statement to run, or nil if there is nothing to run.
    func takeTourStep(_ line: String, prompt: ScreenText) -> String? {
        guard let tour, let step = tour.step else { return line }
        switch line.split(separator: " ").joined(separator: " ") {
        case "":
            tour.advance()
            // The empty line becomes the one that is run.
            if session.terminal.outputIsTerminal, Terminal.environment("TERM") != "dumb" {
                StandardError.write("\u{1B}[A\r\u{1B}[K\(prompt.without("\u{1}"))\(step.command)\n")
            }
            return step.command
        case "skip", "next": tour.advance()
        case "quit", "exit", "stop":
            if tour.isAlone { isLeaving = true }
            endTour()
        default: return line
        }
        return nil
    }

    private func runWholeTour(_ tour: Tour) throws -> ExitCode {
        let reader = reader
        defer { self.reader = reader }
        while let step = tour.step {
            try write(step, number: tour.position + 1)
            try session.write(promptText, .strong)
            try session.output.writeLine(" \(step.command)")
            try session.output.flush()
            self.reader = StatementReader(commands: Commands.all)
            self.reader.append(step.command)
            let code = runStatements(isLast: true)
            if code != .success { return code }
            tour.advance()
        }
        return .success
    }

    private func write(_ step: TourStep, number: Int) throws {
        try session.output.write("\n")
        try session.write("\(number) of \(TourStep.all.count): \(step.title)", .strong)
        try session.output.write("\n")
        try write(paragraph: step.text)
    }

    private func write(paragraph text: String, endsWithBlank: Bool = true) throws {
        let width = min(session.terminal.width, 96)
        try session.output.write(lines: HelpText.wrap(text, indent: 0, width: width) + (endsWithBlank ? "\n" : ""))
    }
}
