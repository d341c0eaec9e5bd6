import CBLTestSupport
import FoundationEssentials
import Glibc

/// A local network of a test's own: a network namespace with a loopback interface, and in it a D-Bus and an Avahi daemon that nobody else knows of.
/// Programs run in it see it, and it alone.
///
///     let network = try LocalNetwork()
///     let result = try network.run(["peers"])
final class LocalNetwork {
    private static let tools: [String] = ["/usr/sbin/avahi-daemon", "/usr/bin/dbus-daemon", "/usr/bin/unshare", "/usr/bin/nsenter"]

    /// What keeps it from being made here; nil if nothing does.
    static let obstacle: String? = {
        if let missing = tools.first(where: { access($0, X_OK) != 0 }) { return "\(missing) is not installed" }
        let places: [String] = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip", "/bin/ip"]
        if !places.contains(where: { access($0, X_OK) == 0 }) { return "ip is not installed" }
        guard geteuid() == 0 else { return "only root can make a network" }
        let trial = try? Program.run(tool: "unshare", ["--net", "--mount", "true"])
        return trial?.exitCode == 0 ? nil : "this machine lets nobody make a network"
    }()

    static let isPossible = obstacle == nil
    static let absence = obstacle ?? ""

    private let directory: TemporaryDirectory
    private let keeper: DaemonKeeper
    private let environment: [String: String]

    init() throws {
        directory = try TemporaryDirectory()
        let path = directory.path
        // D-Bus wants a short path of a socket.
        environment = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(path)/bus"]
        try Data(LocalNetwork.bus(path).utf8).write(to: URL(filePath: path + "/bus.conf"))
        try Data(LocalNetwork.avahi.utf8).write(to: URL(filePath: path + "/avahi.conf"))
        try Data(LocalNetwork.script.utf8).write(to: URL(filePath: path + "/keep.sh"))
        keeper = try DaemonKeeper(
            ["--net", "--mount", "--kill-child", "/bin/sh", path + "/keep.sh", path], program: "/usr/bin/unshare", environment: environment)
        try order("start")
    }

    /// `start` or `stop`: the Avahi daemon, while D-Bus goes on.
    func order(_ word: String) throws { try keeper.order(word) }

    /// The words for a program that runs in this network.
    private func inside(_ words: [String]) -> [String] {
        ["--target", "\(keeperInside)", "--net", "--mount", "--"] + words
    }

    /// `unshare` has started the shell as a child of its own.
    private lazy var keeperInside: pid_t = {
        let children = try? String(contentsOfFile: "/proc/\(keeper.processID)/task/\(keeper.processID)/children", encoding: .utf8)
        return children.flatMap { $0.split(separator: " ").first }.flatMap { pid_t($0) } ?? keeper.processID
    }()

    func start(_ words: [String]) throws -> RunningProgram {
        try RunningProgram(inside([Program.path] + words), program: "/usr/bin/nsenter", environment: environment)
    }

    func run(_ words: [String]) throws -> Program.Result { try start(words).finish() }

    /// Another program, such as `avahi-publish`. It is run as long as the test.
    func start(tool path: String, _ words: [String]) throws -> RunningProgram {
        try RunningProgram(inside([path] + words), program: "/usr/bin/nsenter", environment: environment)
    }

    private static func bus(_ path: String) -> String {
        """
        <busconfig>
          <type>system</type>
          <listen>unix:path=\(path)/bus</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*"/>
            <allow receive_sender="*"/>
            <allow own="*"/>
          </policy>
        </busconfig>
        """
    }

    // Its own address is all that is told, and on nothing but loopback.
    private static let avahi = """
        [server]
        host-name=island
        use-ipv4=yes
        use-ipv6=no
        allow-interfaces=lo
        enable-dbus=yes
        [wide-area]
        enable-wide-area=no
        [publish]
        publish-workstation=no
        publish-hinfo=no
        """

    // Loopback knows no multicast unless it is told so, and the daemon keeps its number in /run.
    private static let script = """
        mount -t tmpfs tmpfs /run && mkdir /run/avahi-daemon || exit 1
        ip link set lo up && ip link set lo multicast on && ip route add 224.0.0.0/4 dev lo || exit 1
        dbus-daemon --config-file="$1/bus.conf" --nofork > "$1/bus.log" 2>&1 &
        bus=$! avahi=
        trap 'kill $bus $avahi 2> /dev/null' EXIT
        until [ -S "$1/bus" ]; do sleep 0.05; done
        while read -r word; do
            case $word in
                start)
                    avahi-daemon --no-drop-root --no-chroot --no-rlimits --file="$1/avahi.conf" > "$1/avahi.log" 2>&1 &
                    avahi=$!
                    until grep -q 'startup complete' "$1/avahi.log"; do
                        kill -0 $avahi 2> /dev/null || { tr '\\n' ' ' < "$1/avahi.log"; echo; exit 1; }
                        sleep 0.05
                    done ;;
                stop) kill $avahi; wait $avahi; avahi= ;;
            esac
            echo "$word done"
        done
        """
}
