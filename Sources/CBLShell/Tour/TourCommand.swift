/// `cblite tour [DATABASE]`
enum TourCommand {
    static let declaration = CommandDeclaration(
        "tour",
        summary: "Show the program at work, step by step, on a sample database",
        discussion: """
            Makes a sample database in a temporary folder and walks through what can be done with it, in five minutes: Return runs what is \
            shown, and whatever else is typed is run in between. "skip" passes over a step, "quit" ends the tour.

            Off a terminal it prints the whole tour. A DATABASE is copied first, and has to be such a sample.
            """,
        arguments: [Argument("DATABASE", .database, .optional, impliedByOpenDatabase: true, "A sample database of your own")],
        examples: [.init("cblite tour", "Five minutes."), .init("cblite tour | less", "To read.")],
        run: { invocation in
            if let shell = invocation.session.shell { return try shell.beginTour(copyOf: nil) }
            return try InteractiveShell.runTour(copyOf: invocation.argumentIfGiven("DATABASE"), in: invocation.session)
        })
}
