public enum LogDomain: UInt {
    case database = 1, query = 2, replicator = 4, network = 8, listener = 16, peerDiscovery = 32, mdns = 64, multipeer = 512
}
public enum LogLevel: UInt8 { case debug = 0, verbose, info, warning, error, none }
func log(_ domain: LogDomain, _ level: LogLevel, _ message: @autoclosure () -> String) {}
extension Database { static func warnOfMissingLog() {} }
