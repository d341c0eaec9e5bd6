import CBLSystemAvahi

/// The functions of Avahi's library, loaded when they are first needed.
enum Avahi {
    private static let loaded: cblite_avahi? = {
        var table = cblite_avahi()
        return cblite_avahi_load(&table) ? table : nil
    }()

    static func functions() throws(DiscoveryError) -> cblite_avahi {
        guard let loaded else {
            throw DiscoveryError(
                .noLibrary, "peers cannot be looked for: the library \(CBLITE_AVAHI_LIBRARY) is not installed",
                advice: "Install the Debian package libavahi-client3, and avahi-daemon beside it")
        }
        return loaded
    }

    static func error(_ code: Int32) -> DiscoveryError {
        switch Int(code) {
        case cblite_avahi_error_no_daemon, cblite_avahi_error_bus:
            return DiscoveryError(
                .noDaemon, "nobody can be asked for peers: the Avahi daemon does not run on this machine",
                advice: "Install the Debian package avahi-daemon, and start it: systemctl start avahi-daemon")
        case cblite_avahi_error_disconnected: return DiscoveryError(.lostDaemon, "the Avahi daemon does not run any more")
        default:
            let text = loaded?.error_text(code).map { String(cString: $0) } ?? "error \(code)"
            return DiscoveryError(.other, "the Avahi daemon says: \(text)")
        }
    }
}
