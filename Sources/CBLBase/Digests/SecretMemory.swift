import Glibc

/// Memory for keys: in pages of its own, which the system is told to leave out of core dumps and, as far as it allows that, not to move to disk. It is wiped
/// when it is given back.
struct SecretMemory: @unchecked Sendable {
    // Sendable: whoever owns it sees to that.
    let bytes: UnsafeMutableRawBufferPointer
    private let mapped: Int

    init(count: Int) {
        let page = max(4096, sysconf(Int32(_SC_PAGESIZE)))
        mapped = (max(1, count) + page - 1) / page * page
        guard let start = mmap(nil, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), start != MAP_FAILED else {
            fatalError("there is no memory for a key")
        }
        // Where it is not allowed, the key is where all other memory is.
        madvise(start, mapped, MADV_DONTDUMP)
        mlock(start, mapped)
        bytes = UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    func free() {
        SecretBytes.wipe(bytes)
        munmap(bytes.baseAddress, mapped)
    }
}
