import Glibc

extension Session {
    /// Whether there is a person to be asked: somebody who reads standard error and types on standard input.
    var canAsk: Bool { terminal.inputIsTerminal && terminal.errorIsTerminal }

    /// Asks a question that is answered with yes or no. Anything but yes, also the end of the input, is no.
    func confirm(_ question: String) throws(CommandError) -> Bool {
        currentProgress?.clear()
        try? output.flush()
        StandardError.write("\(question) [y/N] ")
        let word = String(decoding: try typedLine().prefix(16), as: UTF8.self).lowercased()
        return word.hasPrefix("y")
    }

    /// What is typed up to Return, or to the end of the input.
    func typedLine() throws(CommandError) -> [UInt8] {
        var line: [UInt8] = []
        while true {
            // A Ctrl-C just before the wait would not end it.
            var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&waiting, 1, 100) > 0
            try Interruption.check()
            guard isReady else { continue }
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { return line }
            line.append(byte)
        }
    }
}
