import Glibc

/// Standard input, output and error as they should be: taken.
enum StandardDescriptors {
    /// Where one of the three was closed by whoever started the program, puts something in its place that fails as a closed one does.
    /// Otherwise the next file that is opened gets its number, and what is said to the person ends up in a database.
    static func occupy() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // Reading fails on what is open for writing, and the other way round. It gets the lowest free number: this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
