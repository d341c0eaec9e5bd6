import Glibc

extension Session {
    /// Whether there is a person to be asked: somebody who reads standard error and types on standard input.
    var canAsk: Bool { terminal.inputIsTerminal && terminal.errorIsTerminal }

    /// Asks a question that is answered with yes or no. Anything but yes, also the end of the input, is no.
    func confirm(_ question: String) throws(CommandError) -> Bool {
        currentProgress?.clear()
        try? output.flush()
        StandardError.write(StandardError.safe(question) + " [y/N] ")
        var answer: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            try Interruption.check()
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            if answer.count < 16 { answer.append(byte) }
        }
        let word = String(decoding: answer, as: UTF8.self).lowercased()
        return word.hasPrefix("y")
    }
}
