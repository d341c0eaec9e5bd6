/// What keeps a hostile text from overflowing the stack, here or where the tree is walked.
enum Limits {
    /// How many rules of the grammar may be nested in each other: three for a pair of parentheses. In a debug build one takes 1.3 KB of the
    /// stack, and threads have 512 KB.
    static let nesting = 280
    /// How high the tree of an expression may be. A chain of n infix operators is n high; SQLite's own limit is 1000 as well.
    static let height = 1000
}
