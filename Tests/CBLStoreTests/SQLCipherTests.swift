import CBLBase
import CBLSQLite
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

/// Pages as SQLCipher encrypts them, by the example of a file of two that it has written.
@Suite struct SQLCipherTests {
    /// With the password "password123": a table t with "one", 2 and NULL.
    private static let file = """
        SaksIiwnulGrOogKdyfR0FsTnxIKnXzTUL8l9afw7O6CBSUnoHwi5vsbk84RpCA4Mdf3StDPZH4/SN/E5aKi8nfwSSgrdq+FR6LGHNv1WGMzRmtlMjkuL9zf\
        bmzHKSVkZep9k1WOplK/cro9oYz9bZvu4KjuAn/XLgOy3IMvhJOAL4MA3VnfVGn/Tm898v50cHnFd1OAdU335W/it6+l+ZP+4UNwLJvX2BKN/fb0YiKRylkU\
        mc6Ka1pTXDoBdYI3Prh3PnrjQHBs372zdqzCZMi0XM1M/Y5ZlRopUl86+ER0qczZTKG3t8Amjb3f1OWHNVlsm5Ia5pCrOwyEjcgcn25M9IHZ6cukVVodVJlz\
        M79L0ik+NzHP3NKHFk88egj4aoPoinFnSArTcqrOAvUb3k3FhXDU9LDTCWPenUwf7Pp4qsW+fEkX0wUIyB8+h8ABP44V3AJToYFC9COkFJDk4ukeTfpNcSJn\
        3AIZhkliPXy+ZDOGn3v/Y7kNogXN/xCvEaq2zamQCzHAOS8kfS4C82mh8RtJRUlwrs+2h17FftoLlYOeFWrmwNKZujmuXAZ5AF2POnoaLxF8C0ihzSmXpIPY\
        29ru/7nM4XgGDJVj431SZl20JTeGNaS/EY1zkzahlbfmDXRW0/bk7MIydrgcB47xZsjlOxh0dmZaFBk0fwxv3xcyvKK/wuwFDo57NcXcyXu/ZYtxqczTuk4K\
        QcXetE9iEYXbj9FLlUWHn8gMbuaLXjEQL3Rzwjy9F5EN7gzZQwE3/7U8wkvFVx6F9CtK3zwMPVc3aM2RoQMHOdEFd2xl4dN/vUxydndRGI4YCUPtfWZGv/qg\
        vvCbbSb1phxWoBsq1BTjJTRw6EsRfsTSEgnzQZJhlCwXRM//orUifWnK9Kg2ieYbzovVhz8mOlE9LwbGWgr9AGOUsQKQ0ymPxQacCAek01qT0UAaBJcM5XTo\
        k1rbJIUoMUhmPwTD/WLF3RRjCj/4AwVTo9IxEqGLoH7ZgYQ0SG9nYoMHfiiTGB2SaPsQvDW+5BdxS6YOpLArYnjNLGC9uaYW+iC5X80j3hqSCVZhswJXQHvs\
        XsrPAPHZYfWKOiziVLbN8zLtm27rcLvD0azaeFx0T+ud6R6f5NtfyNJQjIuD+2/pKcecCgNDRsrjF0oCbPMO4+cACWzhcIB7Tb/+ztoceCT4yFgl0GSlOnwL\
        bWKncqwqiNzTAiYwKhmEnDtTiq7/mJ5ccoFUhVFh/erOc5Yfr4RGplRvMcoOS1btJa4KE5qgKMhb5/jjXJCmec15lrMhObAw8wCkeS8JXpu/IWVELPdDb7ln\
        /7GIcOLgTS2fYqBGC5hAMDl/tkJeYiQ7tNy42Ee4SHSuCcgyM2tDsmmOGYZniZXg+OYcg3M2LggJ7DR+jKsf/WwxHh+YXkZ+VSTsH08HlKgdzA7RjGL9L+nC\
        9TWWGs5dbdoTbbaeOZIM7RvJIVRn7HKxhdG9WcsT3z3ylEt6KmW8fJLcUBJgBz/zP8TSIlEePBedxLV59Pqg0Es7PuHSYQ8+CPQmDyoDiAdhpfc3YWproT7F\
        E3qatV0HAOsVhlnFeqk69ryqBmxl7lsVlPyg7cShbGrNgyqXaxlx1/K+tpquZYW7IB8sHQRig3kyX/EsjpWxTevmJRZguUCjd5oAdwabXffpaVeIGPJK3d1T\
        LzkuVSQaOXgZe0D5x0akinu4E0zt9RqeF6zuGuzVwqlCnQk7jkBRCB+wydhiu+zV2+FhhTpIxHwK6a3f7/s5jbgWM6J4AV47hqIrAY/eQR0FCekB7FK3myH2\
        Ey54AiOaijXXXnkVUdwAlheNNig0PW/wbYOgfsXk2W57iSMAuqAhzhqdOSjlnZXxi3tf2W1Kq1LtfDtozw9B7dRdk0Pn08QK6BUHTMCKW+zEmb4gXm4tSa+z\
        IthEXTON50Fux2FYet9GNbEwKsQfq2RLPRmF7uLXAiobVrSMCVMVYrl8DX3MhpfG95fwu2AUYRoXCsCnd4FlRNxgA93aTjUnZCc/xH5aXpTE90SdpHoUJ6ik\
        icNBfGIyIVWGHOF2ntO7vVykS+BjeM/K7gQiPbWJgPKBjJbG3g7S6yvPELGv9EACxsS/XtPkANBzdqWjLhZjZGGKE5YOIczAGFlQnrM5rLYIcx2v6g5cCVFD\
        3O7BLoW2tJMCpVuCXpd8hbmJCtQDuf/cwPHXPPwuhCM/oQfUInSUk1Tfz/aPXjZJRqiuy4nIPu6/TbJgUg9hnnf5jFQpsXhY4QUf3RDeUJQEkKBIB07V//ah\
        vvKGHAq9u+pf2ZLjLKmrH13953Fzkfvs+a/h5tQ41K/pk8UiZ3YRLv8mN4DH3mO7gOYb1BqagdLVd9MWZCQbc3T1tgGfY5GrTXgZ8q/k77USah/e3XebBhNa\
        IZVluhXXGCw5Ps8PoqQGgq5OW6jxoyxIVwACUcoyfyVTG5rjyjaWGKE7cKxVRp0wv8XdI2bUFbl8BLC0h+M/0aNZmr05XoG7UmdXjBxeuQi5yZxy+oSVFA5K\
        CYUtRdugqHyGmwAcucmt0wZwg1xvaUVl4NySpy8XmEz4gxFkKbsOvC5HlLgGRxX7B7KMBbQhn1Pf/O7w8fcI98vEoLXyCbSmsTfVvbDTk5FS488uDlBtyGdW\
        loAGdWU8EPHNKayYQV3x0YPGt2zrKUcKk1qMfuBp/vujmQVyq0PF/NhANR608VwpLrVD5S3tWepCw/K4c/IX2H3WNSo=
        """
    private static let pageSize = 1024
    private let bytes: [UInt8]
    private let key = EncryptionKey(password: "password123")

    init() throws { bytes = try #require(Base64.bytes(of: Self.file.utf8)) }

    private func fitting(_ key: EncryptionKey, _ bytes: [UInt8]) -> (cipher: SQLCipher, key: EncryptionKey)? {
        SQLCipher.fitting(key) { count, offset in
            offset + count <= bytes.count ? Array(bytes[offset..<offset + count]) : nil
        }
    }

    private func decrypted(_ bytes: [UInt8], _ cipher: SQLCipher, _ number: Int) -> [UInt8]? {
        var page = Array(bytes[(number - 1) * Self.pageSize..<number * Self.pageSize])
        return page.withUnsafeMutableBytes { cipher.decrypt($0, number: UInt32(number)) } ? page : nil
    }

    @Test func whatSQLCipherWroteIsRead() throws {
        let (cipher, found) = try #require(fitting(key, bytes))
        #expect(cipher.pageSize == Self.pageSize && found == key)
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.db"
        try Data(bytes).write(to: URL(filePath: path))
        let connection = try Connection(path: path, mode: .readOnly)
        try connection.use(cipher)
        try #expect(connection.strings("SELECT quote(a) FROM t") == ["'one'", "2", "NULL"])
        #expect(try connection.integer("PRAGMA user_version") == 102)
        #expect(try connection.strings("PRAGMA integrity_check") == ["ok"])
        // Parts of pages, and over their ends.
        #expect(try connection.readMainFile(count: 16, at: 0) == DatabaseHeader.magic)
        let clear = try #require(decrypted(bytes, cipher, 1)) + #require(decrypted(bytes, cipher, 2))
        for (offset, count) in [(24, 16), (1000, 100), (1023, 1), (1024, 1024), (0, 2048), (512, 1024)] {
            #expect(try connection.readMainFile(count: count, at: offset) == Array(clear[offset..<offset + count]), "\(offset)")
        }
        #expect(try connection.readMainFile(count: 100, at: 2000) == nil)
    }

    @Test func nothingIsWrittenIntoIt() throws {
        let (cipher, _) = try #require(fitting(key, bytes))
        let directory = try TemporaryDirectory()
        let path = directory.path + "/a.db"
        try Data(bytes).write(to: URL(filePath: path))
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.use(cipher)
        #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO t VALUES ('two')") }
        #expect(try Array(Data(contentsOf: URL(filePath: path))) == bytes)
    }

    @Test func everyFlippedBitIsNoticed() throws {
        let (cipher, _) = try #require(fitting(key, bytes))
        let clear = try (1...2).map { try #require(decrypted(bytes, cipher, $0)) }
        for place in bytes.indices {
            let (number, offset) = (place / Self.pageSize + 1, place % Self.pageSize)
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                let page = decrypted(changed, cipher, number)
                // The salt is a part of the key of the proofs, and behind a proof is nothing.
                if number == 1, offset < SQLCipher.saltSize {
                    #expect(page == clear[0])
                } else if offset >= Self.pageSize - 12 {
                    #expect(page?.dropLast(12) == clear[number - 1].dropLast(12))
                } else {
                    #expect(page == nil, "byte \(place)")
                }
            }
        }
    }

    @Test func aPageInThePlaceOfAnotherIsNoticed() throws {
        let (cipher, _) = try #require(fitting(key, bytes))
        var page = Array(bytes[Self.pageSize...])
        let isTaken = page.withUnsafeMutableBytes { page in (UInt32(0)...20).filter { $0 != 2 && cipher.decrypt(page, number: $0) } }
        #expect(isTaken.isEmpty)
    }

    /// The key is right as long as one page says so; without the salt none does.
    @Test func damageDoesNotMakeTheKeyWrong() throws {
        for (place, isRight) in [(0, false), (15, false), (16, true), (700, true), (1023, true), (1500, true)] {
            var changed = bytes
            changed[place] ^= 1
            #expect((fitting(key, changed) != nil) == isRight, "\(place)")
        }
        for length in stride(from: 0, to: bytes.count, by: 16) {
            #expect((fitting(key, Array(bytes[..<length])) != nil) == (length >= Self.pageSize), "\(length)")
        }
    }

    @Test func otherKeysDoNotFit() throws {
        #expect(fitting(EncryptionKey(password: "password124"), bytes) == nil)
        #expect(fitting(key.forAES128, bytes) == nil)
        var random = SeededRandom(3)
        for _ in 0..<50 {
            let other = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(fitting(try #require(other.withUnsafeBytes { EncryptionKey($0) }), bytes) == nil)
        }
    }

    /// A password stands for the keys of two derivations, of which the one that fits is told.
    @Test func bothDerivationsOfAPasswordAreTried() throws {
        let (_, found) = try #require(fitting(EncryptionKey(password: "password123", .sha1), bytes))
        #expect(found == key)
    }

    @Test func randomDamageIsSurvived() throws {
        let directory = try TemporaryDirectory(inMemory: true)
        let path = directory.path + "/a.db"
        var random = SeededRandom(19)
        for _ in 0..<300 {
            let changed = Mutation.mutated(bytes, &random)
            guard let (cipher, _) = fitting(key, changed) else { continue }
            try Data(changed).write(to: URL(filePath: path))
            guard let connection = try? Connection(path: path, mode: .readOnly) else { continue }
            try connection.use(cipher)
            let values = try? connection.strings("SELECT quote(a) FROM t")
            #expect(values == nil || values == ["'one'", "2", "NULL"])
        }
    }
}
