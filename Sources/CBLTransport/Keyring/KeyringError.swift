/// Why a keyring does not give or take a password.
package typealias KeyringError = AdvisedError<KeyringProblem>

package enum KeyringProblem: Hashable, Sendable {
    /// D-Bus's library is not installed.
    case noLibrary
    /// There is no message bus of a session, as where nobody sits at a desktop, or no keyring behind it.
    case noKeyring
    /// It is locked, and was not unlocked.
    case locked
    /// It has not answered in time.
    case late
    case other
}

extension KeyringError {
    static var noLibrary: KeyringError {
        KeyringError(
            .noLibrary, "there is no keyring to be asked: D-Bus's library is not installed",
            advice: "Install the Debian package libdbus-1-3")
    }
    static var noBus: KeyringError {
        KeyringError(
            .noKeyring, "there is no keyring: this session has no message bus (D-Bus)",
            advice: "Keep the password in ~/.netrc, or in a file for --user NAME:@FILE")
    }
    static var noService: KeyringError {
        KeyringError(
            .noKeyring, "there is no keyring: nothing of this session keeps secrets",
            advice: "Install a keyring such as the Debian package gnome-keyring, or keep the password in ~/.netrc")
    }
    static var locked: KeyringError {
        KeyringError(
            .locked, "the keyring is locked", advice: "Unlock it with the program in which your desktop shows its passwords")
    }
    package static var late: KeyringError { KeyringError(.late, "the keyring has not answered in time") }
}
