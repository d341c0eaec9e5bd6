import CBLBase
import Glibc

extension PathText {
    /// A name beside a database that nothing has: `travel.before-repair.cblite2`.
    static func free(beside path: String, _ purpose: String) -> String {
        let suffix = ".cblite2"
        let stem = without(suffix, without("/", path))
        var copy = "\(stem).\(purpose)\(suffix)"
        var number = 2
        while faccessat(AT_FDCWD, copy, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
            copy = "\(stem).\(purpose)-\(number)\(suffix)"
            number += 1
        }
        return copy
    }
}
