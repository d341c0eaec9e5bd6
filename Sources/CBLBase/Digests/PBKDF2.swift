import CBLSystemNettle

/// Makes a key of a password, in a way that takes long on purpose (RFC 8018, 5.2).
package enum PBKDF2 {
    package enum Digest: Sendable { case sha1, sha256 }

    package static func key(
        password: UnsafeRawBufferPointer, salt: StaticString, rounds: Int, count: Int, _ digest: Digest
    ) -> SecretBytes {
        let salt = UnsafeRawBufferPointer(start: salt.utf8Start, count: salt.utf8CodeUnitCount)
        return key(password: password, salt: salt, rounds: rounds, count: count, digest)
    }

    package static func key(
        password: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, rounds: Int, count: Int, _ digest: Digest
    ) -> SecretBytes {
        SecretBytes(count: count) { key in
            guard let output = key.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            let secret = password.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let saltStart = salt.baseAddress?.assumingMemoryBound(to: UInt8.self)
            switch digest {
            case .sha1: nettle_pbkdf2_hmac_sha1(password.count, secret, UInt32(rounds), salt.count, saltStart, count, output)
            case .sha256: nettle_pbkdf2_hmac_sha256(password.count, secret, UInt32(rounds), salt.count, saltStart, count, output)
            }
        }
    }
}
