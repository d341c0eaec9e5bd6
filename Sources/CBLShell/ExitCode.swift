/// What the program tells the one who called it.
enum ExitCode: Int32, Sendable {
    case success = 0
    /// The command failed, or found nothing where that is an error.
    case failure = 1
    case usage = 2
    /// The database cannot be opened.
    case cannotOpen = 3
    case conflict = 4
    case interrupted = 130
}
