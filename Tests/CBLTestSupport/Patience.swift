/// How long a test waits for what must come. It is so much that only what hangs comes to its end, on the slowest machine and
/// whatever else runs there: no test is decided by it.
package enum Patience {
    package static let seconds = 120.0
    package static let duration = Duration.seconds(seconds)
}
