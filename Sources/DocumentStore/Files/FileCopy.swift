import Glibc

/// Copies of whole files, made by the kernel.
enum FileCopy {
    static func copyIfPresent(_ source: String, to target: String) throws(StoreError) {
        guard FileStatus(source) != nil else {
            unlink(target)
            return
        }
        try copy(source, to: target)
    }

    /// Writes `target` anew with the content of `source`, readable by its owner alone.
    static func copy(_ source: String, to target: String) throws(StoreError) {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw failure("cannot open", source) }
        defer { close(input) }
        let output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("cannot create", target) }
        defer { close(output) }
        while true {
            let count = sendfile(output, input, nil, 1 << 24)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure("cannot write", target) }
            if count == 0 { return }
        }
    }

    static func failure(_ what: String, _ path: String, _ code: Int32 = errno) -> StoreError {
        let kind: StoreError.Code = code == ENOSPC || code == EDQUOT ? .diskFull : code == ENOENT ? .notFound : .inputOutput
        return StoreError(kind, "\(what) \(path): \(FileStatus.reason(code))")
    }
}
