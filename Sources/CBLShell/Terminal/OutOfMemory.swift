import Glibc

/// Says what it was when the process ends for want of memory. The language ends it with a trap, of which nobody could tell what was wrong; files are
/// as safe then as after `kill -9`.
enum OutOfMemory {
    private static let signals = [SIGILL, SIGTRAP, SIGSEGV, SIGABRT]
    // The stack may be what there was no memory for.
    private static let stackSize = 16 << 10

    static func install() {
        var stack = stack_t()
        stack.ss_sp = malloc(stackSize)
        stack.ss_size = stackSize
        guard stack.ss_sp != nil, sigaltstack(&stack, nil) == 0 else { return }
        for signal in signals {
            var current = sigaction()
            // Whoever watches for crashes goes on doing so.
            guard sigaction(signal, nil, &current) == 0, current.__sigaction_handler.sa_handler == nil else { continue }
            var action = sigaction()
            action.sa_flags = SA_ONSTACK | Int32(bitPattern: UInt32(SA_RESETHAND))
            action.__sigaction_handler.sa_handler = { _ in
                // What the failed allocation has left behind, as nothing has been asked of the system since. If it was something else, the
                // instruction is tried again, and ends the process as it would have.
                guard errno == ENOMEM else { return }
                let message: StaticString = "cblite: out of memory\n"
                _ = write(2, message.utf8Start, message.utf8CodeUnitCount)
                _exit(ExitCode.failure.rawValue)
            }
            sigaction(signal, &action, nil)
        }
    }
}
