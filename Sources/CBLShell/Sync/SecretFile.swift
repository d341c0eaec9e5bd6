import CBLBase
import CBLWorkbench
import Glibc

/// Files with passwords, keys and certificates: small ones.
enum SecretFile {
    private static let largest = 1 << 20

    static func read(_ path: String) throws(CommandError) -> [UInt8] { try read(path) { _ in } }

    /// The same for a secret, and a word about it if others can read it too.
    static func read(_ path: String, warningIn session: Session) throws(CommandError) -> [UInt8] {
        try read(path) { facts in
            guard facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o077 != 0 else { return }
            session.remarkOnce("\(path) can be read by others: \"chmod 600 \(path)\" keeps it to yourself.", about: path)
        }
    }

    private static func read(_ path: String, _ inspect: (stat) -> Void) throws(CommandError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(path, errno: errno) }
        defer { close(descriptor) }
        var facts = stat()
        if fstat(descriptor, &facts) == 0 { inspect(facts) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16384)
        while true {
            let count = SystemCall.retrying { Glibc.read(descriptor, &piece, piece.count) }
            guard count >= 0 else { throw .system(path, errno: errno) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
            guard bytes.count <= largest else { throw .failed("\(path): it is too large for a password, a key or a certificate") }
        }
    }
}

extension Session {
    /// Asks for something that nobody else should see. `otherwise` is how to say it where there is nobody to be asked.
    func askSecret(_ question: String, orSay otherwise: String) throws(CommandError) -> String {
        guard canAsk else { throw .usage("the password is missing, and there is nobody to ask: \(otherwise)") }
        currentProgress?.clear()
        var before = termios()
        tcgetattr(STDIN_FILENO, &before)
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // In the interactive shell the terminal may be set to hand over each key.
        silent.c_lflag |= tcflag_t(ICANON | ISIG)
        silent.c_iflag |= tcflag_t(ICRNL)
        // Who is quick with the answer must not see it.
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
        StandardError.write("\(question)")
        defer {
            tcsetattr(STDIN_FILENO, TCSANOW, &before)
            StandardError.write("\n")
        }
        guard let text = String(validating: try typedLine(), as: UTF8.self) else { throw .failed("that is not valid UTF-8") }
        return text
    }
}
