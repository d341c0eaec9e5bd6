import CBLBase
import Glibc
import Testing

@Suite struct SystemCallTests {
    @Test func whatASignalInterruptsIsDoneAgain() {
        var calls = 0
        let result = SystemCall.retrying { () -> Int32 in
            calls += 1
            errno = EINTR
            return calls < 4 ? -1 : 7
        }
        #expect(result == 7 && calls == 4)
    }

    @Test func otherFailuresAreTheCallers() {
        var calls = 0
        let result = SystemCall.retrying { () -> Int in
            calls += 1
            errno = EIO
            return -1
        }
        #expect(result == -1 && calls == 1)
        #expect(errno == EIO)
    }

    @Test func failuresHaveWords() {
        #expect(SystemCall.message(ENOENT) == "No such file or directory")
        #expect(!SystemCall.message(123_456).isEmpty)
    }
}
