import CBLBase
import CBLSystemAvahi
import Glibc

/// The local network as the Avahi daemon of this machine sees it.
///
///     let directory = try AvahiDirectory(PeerWishes(browses: true)) { event in … }
///     …
///     directory.stop()
///
/// The observer is called on a thread of Avahi's. What was found is lost when the daemon ends, and found again when it is back.
package final class AvahiDirectory: PeerDirectory, @unchecked Sendable {
    // Sendable: once its thread runs, what changes is touched on it alone, or after its end; `isStopped` is its owner's.

    /// A service as it is seen on one network interface with one version of IP.
    private struct Sighting: Hashable {
        var service: FoundPeer.Service
        var interface: Int32
        var version: Int32
    }

    private struct Resolved {
        var host: String
        var address: String
        var port: UInt16
        var text: ServiceText
    }

    /// The daemon has room for a thousand, and somebody can fill the network with names.
    private static let mostSightings = 400
    private static let mostNames = 100
    /// When the message bus is gone as well.
    private static let pause = 5

    private let avahi: cblite_avahi
    private let wishes: PeerWishes
    private let observer: @Sendable (PeerDirectoryEvent) -> Void
    private let threads: OpaquePointer
    private let poll: UnsafePointer<cblite_avahi_poll>
    private var isStopped = false

    private var client: OpaquePointer?
    private var timer: OpaquePointer?
    // These belong to the client, and go with it.
    private var group: OpaquePointer?
    private var resolvers: [Sighting: OpaquePointer] = [:]
    private var isBrowsing = false
    private var browsersAtWork = 0
    /// Sightings of which nothing more is known yet.
    private var unresolved: Set<Sighting> = []
    private var hasCompleted = false

    private var resolved: [Sighting: Resolved] = [:]
    private var told: [FoundPeer.Service: FoundPeer] = [:]
    /// The advertisement's, until somebody else turns out to have it.
    private var name: String

    /// Throws if there is no daemon. It waits for the message bus, which is usually quick.
    package init(_ wishes: PeerWishes, observer: @escaping @Sendable (PeerDirectoryEvent) -> Void) throws(DiscoveryError) {
        avahi = try Avahi.functions()
        guard let threads = avahi.threads_new(), let poll = avahi.threads_get(threads) else {
            throw DiscoveryError(.other, "there is no memory to look for peers")
        }
        self.threads = threads
        self.poll = poll
        self.wishes = wishes
        self.observer = observer
        name = wishes.advertisement.map { AvahiDirectory.shortened($0.name) } ?? ""
        var code = connect(flags: 0)
        if code == 0 { code = avahi.threads_start(threads) }
        guard code == 0 else {
            disconnect()
            avahi.threads_free(threads)
            isStopped = true
            throw Avahi.error(code)
        }
    }

    deinit { stop() }

    package func stop() {
        if isStopped { return }
        isStopped = true
        _ = avahi.threads_stop(threads)
        disconnect()
        avahi.threads_free(threads)
    }

    /// As much of a name as a service may have, and no half letter at the end.
    package static func shortened(_ name: String) -> String {
        var name = name
        while name.utf8.count > 63 { name.unicodeScalars.removeLast() }
        return name
    }

    private var owner: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    private static func directory(_ owner: UnsafeMutableRawPointer?) -> AvahiDirectory? {
        owner.map { Unmanaged<AvahiDirectory>.fromOpaque($0).takeUnretainedValue() }
    }

    // The daemon

    /// Gives an error's code, or 0.
    private func connect(flags: Int) -> Int32 {
        var code: Int32 = 0
        // It calls back before it returns.
        client = avahi.client_new(
            poll, Int32(flags), { client, state, owner in AvahiDirectory.directory(owner)?.changed(client, Int(state)) }, owner, &code)
        return client == nil ? min(code, -1) : 0
    }

    private func disconnect() {
        if let timer { poll.pointee.timer_free(timer) }
        timer = nil
        if let client { avahi.client_free(client) }
        (client, group, isBrowsing) = (nil, nil, false)
        (resolvers, unresolved) = ([:], [])
    }

    private func changed(_ client: OpaquePointer?, _ state: Int) {
        guard let client else { return }
        switch state {
        case cblite_avahi_client_running:
            publish(client)
            browse(client)
        case cblite_avahi_client_registering, cblite_avahi_client_collision:
            // The machine gets another name; under the old one nobody finds it.
            if let group { _ = avahi.group_reset(group) }
        case cblite_avahi_client_failure:
            observer(.failed(Avahi.error(avahi.client_error(client))))
            resolved = [:]
            for service in told.keys { observer(.lost(service)) }
            told = [:]
            connectLater(seconds: 0)
        default: break
        }
    }

    // Not while the client calls, which has to go.
    private func connectLater(seconds: Int) {
        guard timer == nil else { return }
        var time = timeval()
        gettimeofday(&time, nil)
        time.tv_sec += seconds
        timer = poll.pointee.timer_new(
            poll, &time, { _, owner in AvahiDirectory.directory(owner)?.connectAgain() }, owner)
    }

    private func connectAgain() {
        disconnect()
        if connect(flags: cblite_avahi_waits_for_daemon) != 0 { connectLater(seconds: AvahiDirectory.pause) }
    }

    // What is told to others

    private func publish(_ client: OpaquePointer) {
        guard let advertisement = wishes.advertisement else { return }
        if group == nil {
            group = avahi.group_new(
                client, { group, state, owner in AvahiDirectory.directory(owner)?.changed(group: group, Int(state)) }, owner)
        }
        guard let group else { return observer(.failed(Avahi.error(avahi.client_error(client)))) }
        var texts: OpaquePointer?
        for entry in advertisement.announcement.text.entries.reversed() {
            texts = entry.withUnsafeBufferPointer { avahi.texts_add(texts, $0.baseAddress, $0.count) }
        }
        defer { avahi.texts_free(texts) }
        let interface = advertisement.interface.map { Int32(bitPattern: if_nametoindex($0)) } ?? Int32(cblite_avahi_any)
        for _ in 0..<AvahiDirectory.mostNames {
            _ = avahi.group_reset(group)
            let code = avahi.group_add(
                group, interface == 0 ? Int32(cblite_avahi_any) : interface, Int32(cblite_avahi_any), 0, name, FoundPeer.ownType, nil, nil,
                advertisement.port, texts)
            guard code == cblite_avahi_error_collision else {
                let code = code == 0 ? avahi.group_commit(group) : code
                if code != 0 { observer(.failed(Avahi.error(code))) }
                return
            }
            takeAnotherName()
        }
        observer(.failed(Avahi.error(Int32(cblite_avahi_error_collision))))
    }

    private func takeAnotherName() {
        guard let another = avahi.another_name(name) else { return }
        name = String(cString: another)
        avahi.free(another)
    }

    private func changed(group: OpaquePointer?, _ state: Int) {
        switch state {
        case cblite_avahi_group_established: observer(.advertised(name))
        case cblite_avahi_group_collision:
            takeAnotherName()
            if let client { publish(client) }
        case cblite_avahi_group_failure:
            if let client { observer(.failed(Avahi.error(avahi.client_error(client)))) }
        default: break
        }
    }

    // What others tell

    private func browse(_ client: OpaquePointer) {
        guard wishes.browses, !isBrowsing else { return }
        isBrowsing = true
        browsersAtWork = 0
        for type in FoundPeer.types {
            let browser = avahi.browser_new(
                client, Int32(cblite_avahi_any), Int32(cblite_avahi_any), type, nil, 0,
                { _, interface, version, event, name, type, domain, _, owner in
                    guard let directory = AvahiDirectory.directory(owner) else { return }
                    let service = AvahiDirectory.service(name, type, domain)
                    directory.browsed(Int(event), service.map { Sighting(service: $0, interface: interface, version: version) })
                }, owner)
            if browser == nil { observer(.failed(Avahi.error(avahi.client_error(client)))) } else { browsersAtWork += 1 }
        }
    }

    private static func service(_ name: UnsafePointer<CChar>?, _ type: UnsafePointer<CChar>?, _ domain: UnsafePointer<CChar>?)
        -> FoundPeer.Service?
    {
        guard let name, let type, let domain else { return nil }
        return FoundPeer.Service(name: String(cString: name), type: String(cString: type), domain: String(cString: domain))
    }

    private func browsed(_ event: Int, _ sighting: Sighting?) {
        switch event {
        case cblite_avahi_browser_new: if let sighting, FoundPeer.isOne(sighting.service) { resolve(sighting) }
        case cblite_avahi_browser_remove: if let sighting { forget(sighting) }
        case cblite_avahi_browser_all_for_now, cblite_avahi_browser_failure:
            browsersAtWork -= 1
            tellIfComplete()
        default: break
        }
    }

    /// The resolver stays, and tells of changes.
    private func resolve(_ sighting: Sighting) {
        guard let client, resolvers[sighting] == nil, resolvers.count < AvahiDirectory.mostSightings else { return }
        unresolved.insert(sighting)
        let service = sighting.service
        resolvers[sighting] = avahi.resolver_new(
            client, sighting.interface, sighting.version, service.name, service.type, service.domain, Int32(cblite_avahi_any), 0,
            { _, interface, version, event, name, type, domain, host, address, port, texts, _, owner in
                guard let directory = AvahiDirectory.directory(owner), let service = AvahiDirectory.service(name, type, domain) else {
                    return
                }
                let sighting = Sighting(service: service, interface: interface, version: version)
                directory.resolved(sighting, Int(event) == cblite_avahi_resolver_found ? (host, address, port, texts) : nil)
            }, owner)
        if resolvers[sighting] == nil { unresolved.remove(sighting) }
    }

    private func resolved(
        _ sighting: Sighting, _ found: (host: UnsafePointer<CChar>?, address: OpaquePointer?, port: UInt16, texts: OpaquePointer?)?
    ) {
        unresolved.remove(sighting)
        if resolvers[sighting] != nil, let found, let host = found.host {
            var address = [CChar](repeating: 0, count: cblite_avahi_address_size)
            if let pointer = found.address { _ = avahi.address_text(&address, address.count, pointer) }
            resolved[sighting] = Resolved(
                host: String(cString: host),
                address: String(decoding: address.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
                port: found.port, text: text(found.texts))
            tell(of: sighting.service, latest: sighting)
        }
        tellIfComplete()
    }

    private func text(_ texts: OpaquePointer?) -> ServiceText {
        var entries: [[UInt8]] = []
        var next = texts
        while let entry = next, entries.count < ServiceText.mostBytes {
            if let bytes = avahi.texts_bytes(entry) {
                entries.append(Array(UnsafeBufferPointer(start: bytes, count: avahi.texts_size(entry))))
            }
            next = avahi.texts_next(entry)
        }
        return ServiceText(entries)
    }

    private func forget(_ sighting: Sighting) {
        if let resolver = resolvers.removeValue(forKey: sighting) { _ = avahi.resolver_free(resolver) }
        unresolved.remove(sighting)
        resolved[sighting] = nil
        tell(of: sighting.service, latest: nil)
        tellIfComplete()
    }

    /// The same service may be seen in several places, each with an address.
    private func tell(of service: FoundPeer.Service, latest: Sighting?) {
        let seen = resolved.filter { $0.key.service == service }
        guard let first = latest.flatMap({ resolved[$0] }) ?? seen.min(by: { $0.key.interface < $1.key.interface })?.value else {
            if told.removeValue(forKey: service) != nil { observer(.lost(service)) }
            return
        }
        let addresses = seen.values.filter { $0.port == first.port }.map(\.address)
        let peer = FoundPeer(service, host: first.host, port: first.port, addresses: addresses, text: first.text)
        guard told.updateValue(peer, forKey: service) != peer else { return }
        observer(.found(peer))
    }

    private func tellIfComplete() {
        guard !hasCompleted, isBrowsing, browsersAtWork <= 0, unresolved.isEmpty else { return }
        hasCompleted = true
        observer(.complete)
    }
}
