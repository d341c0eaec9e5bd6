/// What keeps a hostile text from overflowing the stack, here or where the tree is walked.
enum Limits {
    /// How deep expressions may be nested in each other: parentheses, calls, `NOT`s. The vectors need 12. A level costs some 2 KB of stack
    /// in a debug build, and threads have 512 KB.
    static let nesting = 160
    /// How high the tree of an expression may be. A chain of n infix operators is n high; SQLite's own limit is 1000 as well.
    static let height = 1000
}
