import CBLBLIP

// Messages of the protocol as messages of BLIP, and back.
extension WireRequest {
    private static let profileProperty = "Profile"

    init(_ message: IncomingMessage, _ request: ReceivedRequest) {
        let properties = message.allProperties.filter { $0.name != WireRequest.profileProperty }
        self.init(
            profile: message.profile ?? "", properties: Properties(properties), body: Array(message.body), isUrgent: request.isUrgent,
            isCompressed: message.isCompressed, isNoReply: !request.wantsResponse)
    }

    var message: OutgoingMessage {
        var message = OutgoingMessage(
            profile: profile, body: .bytes(body), isUrgent: isUrgent, isCompressed: isCompressed, isNoReply: isNoReply)
        for item in properties.items { message.properties.append(item.name, item.value) }
        return message
    }
}

extension WireReply {
    init(_ message: IncomingMessage) {
        self.init(
            isError: message.isError, properties: Properties(message.allProperties), body: Array(message.body),
            isCompressed: message.isCompressed)
    }

    var message: OutgoingMessage {
        var message = OutgoingMessage(body: .bytes(body), isUrgent: isUrgent, isCompressed: isCompressed)
        for item in properties.items { message.properties.append(item.name, item.value) }
        return message
    }

    /// Meaningful for errors only.
    var error: MessageError {
        let error = SyncError(self)
        return MessageError(domain: properties["Error-Domain"] ?? "BLIP", code: error.code, message: String(decoding: body, as: UTF8.self))
    }
}
