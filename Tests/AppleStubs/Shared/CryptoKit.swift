// swift-format-ignore-file
// The parts of CryptoKit that the package uses, with the reference's generic constraints.
import Foundation

public protocol Digest: Hashable, ContiguousBytes, CustomStringConvertible, Sendable, Sequence where Element == UInt8 {
  static var byteCount: Int { get }
}

public protocol HashFunction: Sendable {
  associatedtype Digest: CryptoKit.Digest
  init()
  mutating func update(bufferPointer: UnsafeRawBufferPointer)
  func finalize() -> Digest
}

extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Digest { Self().finalize() }
  public mutating func update<D: DataProtocol>(data: D) {}
}

public struct SHA256Digest: Digest {
  public static var byteCount: Int { 32 }
  public var description: String { "" }
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try [UInt8]().withUnsafeBytes(body)
  }
}

public struct SHA384Digest: Digest {
  public static var byteCount: Int { 48 }
  public var description: String { "" }
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try [UInt8]().withUnsafeBytes(body)
  }
}

public struct SHA512Digest: Digest {
  public static var byteCount: Int { 64 }
  public var description: String { "" }
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try [UInt8]().withUnsafeBytes(body)
  }
}

public struct SHA256: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> SHA256Digest { SHA256Digest() }
}

public struct SHA384: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> SHA384Digest { SHA384Digest() }
}

public struct SHA512: HashFunction {
  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
  public func finalize() -> SHA512Digest { SHA512Digest() }
}

public struct SymmetricKeySize: Sendable {
  public let bitCount: Int
  public init(bitCount: Int) { self.bitCount = bitCount }
  public static var bits256: SymmetricKeySize { SymmetricKeySize(bitCount: 256) }
}

public struct SymmetricKey: ContiguousBytes, Equatable, Sendable {
  public var bitCount: Int { 0 }
  public init<D: ContiguousBytes>(data: D) {}
  public init(size: SymmetricKeySize) {}
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try [UInt8]().withUnsafeBytes(body)
  }
}

public enum CryptoKitError: Error {
  case incorrectKeySize
  case incorrectParameterSize
  case authenticationFailure
}

public enum AES {
  public enum GCM {
    public struct Nonce: ContiguousBytes, Sequence, Sendable {
      public init() {}
      public init<D: DataProtocol>(data: D) throws {}
      public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
      public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try [UInt8]().withUnsafeBytes(body)
      }
    }

    public struct SealedBox: Sendable {
      public let tag: Data
      public let ciphertext: Data
      public let nonce: Nonce
      public var combined: Data? { nil }
      public init<D: DataProtocol>(combined: D) throws { throw CryptoKitError.incorrectParameterSize }
    }

    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
      _ message: Plaintext, using key: SymmetricKey, nonce: Nonce? = nil, authenticating: AuthenticatedData
    ) throws -> SealedBox { throw CryptoKitError.incorrectKeySize }

    public static func open<AuthenticatedData: DataProtocol>(
      _ sealedBox: SealedBox, using key: SymmetricKey, authenticating: AuthenticatedData
    ) throws -> Data { throw CryptoKitError.authenticationFailure }
  }
}

public enum P256 {
  public enum Signing {
    public struct ECDSASignature: ContiguousBytes, Sendable {
      public var rawRepresentation: Data { Data() }
      public var derRepresentation: Data { Data() }
      public init<D: DataProtocol>(rawRepresentation: D) throws {}
      public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try [UInt8]().withUnsafeBytes(body)
      }
    }

    public struct PublicKey: Sendable {
      public var rawRepresentation: Data { Data() }
      public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { false }
    }

    public struct PrivateKey: Sendable {
      public var publicKey: PublicKey { fatalError() }
      public init(compactRepresentable: Bool = true) {}
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature {
        throw CryptoKitError.incorrectKeySize
      }
    }
  }
}

public enum P384 {
  public enum Signing {
    public struct ECDSASignature: ContiguousBytes, Sendable {
      public var rawRepresentation: Data { Data() }
      public var derRepresentation: Data { Data() }
      public init<D: DataProtocol>(rawRepresentation: D) throws {}
      public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try [UInt8]().withUnsafeBytes(body)
      }
    }

    public struct PublicKey: Sendable {
      public var rawRepresentation: Data { Data() }
      public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { false }
    }

    public struct PrivateKey: Sendable {
      public var publicKey: PublicKey { fatalError() }
      public init(compactRepresentable: Bool = true) {}
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature {
        throw CryptoKitError.incorrectKeySize
      }
    }
  }
}

public enum P521 {
  public enum Signing {
    public struct ECDSASignature: ContiguousBytes, Sendable {
      public var rawRepresentation: Data { Data() }
      public var derRepresentation: Data { Data() }
      public init<D: DataProtocol>(rawRepresentation: D) throws {}
      public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try [UInt8]().withUnsafeBytes(body)
      }
    }

    public struct PublicKey: Sendable {
      public var rawRepresentation: Data { Data() }
      public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
      public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { false }
    }

    public struct PrivateKey: Sendable {
      public var publicKey: PublicKey { fatalError() }
      public init(compactRepresentable: Bool = true) {}
      public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature {
        throw CryptoKitError.incorrectKeySize
      }
    }
  }
}

public enum Curve25519 {
  public enum Signing {
    public struct PublicKey: Sendable {
      public var rawRepresentation: Data { Data() }
      public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
      public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool { false }
    }

    public struct PrivateKey: Sendable {
      public var publicKey: PublicKey { fatalError() }
      public var rawRepresentation: Data { Data() }
      public init() {}
      public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
      public func signature<D: DataProtocol>(for data: D) throws -> Data { throw CryptoKitError.incorrectKeySize }
    }
  }
}

public struct HashedAuthenticationCode<H: HashFunction>: ContiguousBytes, Hashable, Sequence, Sendable {
  public static func == (left: Self, right: Self) -> Bool { false }
  public func hash(into hasher: inout Hasher) {}
  public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try [UInt8]().withUnsafeBytes(body)
  }
}

public struct HMAC<H: HashFunction>: Sendable {
  public typealias MAC = HashedAuthenticationCode<H>
  public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC { MAC() }
}
