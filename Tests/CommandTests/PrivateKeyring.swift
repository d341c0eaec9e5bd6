import CBLTestSupport
import FoundationEssentials
import Glibc

/// A session's message bus and keyring of a test's own, with nothing in it: GNOME's, in a folder that goes with the test.
final class PrivateKeyring {
    private static let tools = ["/usr/bin/dbus-daemon", "/usr/bin/dbus-send", "/usr/bin/gnome-keyring-daemon"]

    /// What keeps it from being made here; nil if nothing does.
    static let obstacle = tools.first { access($0, X_OK) != 0 }.map { "\($0) is not installed" }
    static let isPossible = obstacle == nil
    static let absence = obstacle ?? ""

    let directory: TemporaryDirectory
    private let keeper: DaemonKeeper
    /// For the programs that are to see it.
    let environment: [String: String]

    init() throws {
        directory = try TemporaryDirectory()
        let path = directory.path
        environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)/bus"]
        try Data(PrivateKeyring.bus(path).utf8).write(to: URL(filePath: path + "/bus.conf"))
        try Data(PrivateKeyring.script.utf8).write(to: URL(filePath: path + "/keep.sh"))
        var own = environment
        for name in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] { own[name] = path }
        // Nobody can be asked for what opens a lock.
        for name in ["DISPLAY", "WAYLAND_DISPLAY"] { own[name] = "" }
        keeper = try DaemonKeeper([path + "/keep.sh", path], program: "/bin/sh", environment: own)
        try keeper.waitUntilDone("bus")
    }

    /// `start`: the keyring, unlocked. `lock`: it stays so.
    func order(_ word: String) throws { try keeper.order(word) }

    private static func bus(_ path: String) -> String {
        """
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(path)/bus</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }

    private static let script = """
        dbus-daemon --config-file="$1/bus.conf" --nofork > "$1/bus.log" 2>&1 &
        bus=$! keyring=
        trap 'kill $bus $keyring 2> /dev/null' EXIT
        ask() { dbus-send --session --print-reply --type=method_call "$@" > /dev/null 2>&1; }
        until [ -S "$1/bus" ]; do sleep 0.05; done
        echo bus done
        while read -r word; do
            case $word in
                start)
                    printf 'the keyring' > "$1/unlock"
                    gnome-keyring-daemon --unlock --components=secrets --foreground < "$1/unlock" > "$1/keyring.log" 2>&1 &
                    keyring=$!
                    until ask --dest=org.freedesktop.DBus / org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets; do sleep 0.05; done ;;
                lock)
                    ask --dest=org.freedesktop.secrets /org/freedesktop/secrets org.freedesktop.Secret.Service.Lock \\
                        array:objpath:/org/freedesktop/secrets/collection/login ;;
            esac
            echo "$word done"
        done
        """
}
