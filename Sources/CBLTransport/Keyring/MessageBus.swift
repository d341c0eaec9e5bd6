import CBLBase
import CBLSystemDBus
import Glibc

/// The message bus (D-Bus) of a person's session, as one thread talks to its services: question by question, and no longer than it has time.
final class MessageBus {
    private static let loaded: cblite_dbus? = {
        var table = cblite_dbus()
        return cblite_dbus_load(&table) ? table : nil
    }()

    private let dbus: cblite_dbus
    private let connection: OpaquePointer
    private var end: Double

    /// `address` is in D-Bus's form; by default where this session has its bus.
    init(at address: String? = MessageBus.address, within seconds: Double) throws(KeyringError) {
        guard let address else { throw .noBus }
        guard let dbus = MessageBus.loaded else { throw .noLibrary }
        self.dbus = dbus
        end = MonotonicClock.seconds + seconds
        var error = cblite_dbus_error()
        dbus.error_init(&error)
        dbus.change_sigpipe(0)
        guard let connection = dbus.open(address, &error) else {
            dbus.error_free(&error)
            throw .noBus
        }
        self.connection = connection
        _ = try call("Hello", of: MessageBus.bus, at: MessageBus.busPath, from: MessageBus.bus)
    }

    deinit {
        dbus.close(connection)
        dbus.unref(connection)
    }

    private static let bus = "org.freedesktop.DBus"
    private static let busPath = "/org/freedesktop/DBus"

    /// Nil where there is none. Only sockets: other forms of addresses have programs started.
    private static var address: String? {
        if let text = getenv("DBUS_SESSION_BUS_ADDRESS").map({ String(cString: $0) }), !text.isEmpty {
            let sockets = text.split(separator: ";").filter { $0.hasPrefix("unix:") }
            return sockets.isEmpty ? nil : sockets.joined(separator: ";")
        }
        guard let directory = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), directory.hasPrefix("/"),
            // A path is written as it is, but for what means something else in an address.
            !directory.utf8.contains(where: { ",;=%".utf8.contains($0) }), access(directory + "/bus", F_OK) == 0
        else { return nil }
        return "unix:path=\(directory)/bus"
    }

    /// Has so many seconds from now on: a person takes longer than a program.
    func wait(seconds: Double) { end = MonotonicClock.seconds + seconds }

    private var millisecondsLeft: Int32 { Int32(max(0, min(1_000_000, (end - MonotonicClock.seconds) * 1000))) }

    /// Asks a service something, and waits for what it answers.
    func call(
        _ method: String, of interface: String, at path: String, from service: String, _ arguments: [BusValue] = []
    ) throws(KeyringError) -> [BusValue] {
        guard millisecondsLeft > 0 else { throw .late }
        guard let message = dbus.message_new(service, path, interface, method) else { throw MessageBus.noMemory }
        defer { dbus.message_unref(message) }
        var writer = BusWriter(dbus, to: message)
        for argument in arguments { writer.write(argument) }
        guard writer.isComplete else { throw MessageBus.noMemory }
        var error = cblite_dbus_error()
        dbus.error_init(&error)
        guard let answer = dbus.call(connection, message, millisecondsLeft, &error) else {
            defer { dbus.error_free(&error) }
            throw MessageBus.error(error)
        }
        defer { dbus.message_unref(answer) }
        var reader = BusReader(dbus, answer)
        return reader.values()
    }

    /// Asks for the signals of an object to be sent here.
    func watch(_ path: String, of interface: String) throws(KeyringError) {
        let rule = "type='signal',interface='\(interface)',path='\(path)'"
        _ = try call("AddMatch", of: MessageBus.bus, at: MessageBus.busPath, from: MessageBus.bus, [.text(rule)])
    }

    /// Waits for a signal of an object that is watched.
    func signal(_ name: String, of interface: String, from path: String) throws(KeyringError) -> [BusValue] {
        while true {
            while let message = dbus.pop(connection) {
                defer { dbus.message_unref(message) }
                guard dbus.message_is_signal(message, interface, name) != 0, let sender = dbus.message_path(message),
                    String(cString: sender) == path
                else { continue }
                var reader = BusReader(dbus, message)
                return reader.values()
            }
            guard millisecondsLeft > 0 else { throw .late }
            guard dbus.read_write(connection, millisecondsLeft) != 0 else { throw .noBus }
        }
    }

    private static let noMemory = KeyringError(.other, "there is no memory to ask the keyring")

    private static func error(_ error: cblite_dbus_error) -> KeyringError {
        let name = error.name.map { String(cString: $0) } ?? ""
        switch name.split(separator: ".").last {
        case "NoReply", "Timeout", "TimedOut": return .late
        case "ServiceUnknown", "NameHasNoOwner", "SpawnFailed", "ExecFailed", "ChildExited", "ServiceNotFound": return .noService
        case "Disconnected", "NoServer", "AuthFailed", "AccessDenied": return .noBus
        case "IsLocked": return .locked
        default:
            let said = error.message.map { String(cString: $0) } ?? name
            return KeyringError(.other, "the keyring says: \(said)")
        }
    }
}
