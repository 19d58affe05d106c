// swift-format-ignore-file
// The parts of CryptoKit that the package uses, with the reference's generic constraints. Nothing here is run.
import Foundation

// What the reference gives to each type that consists of bytes.
public protocol BytesOfStub: ContiguousBytes, Sendable, Sequence where Element == UInt8 {}

extension BytesOfStub {
  public func makeIterator() -> Array<UInt8>.Iterator { fatalError() }
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}

public protocol Digest: Hashable, BytesOfStub {}
public protocol HashFunction: Sendable { associatedtype Digest: CryptoKit.Digest }

extension HashFunction {
  public static func hash<D: DataProtocol>(data: D) -> Digest { fatalError() }
}

public struct SHA256Digest: Digest {}
public struct SHA384Digest: Digest {}
public struct SHA512Digest: Digest {}
public struct SHA256: HashFunction { public typealias Digest = SHA256Digest }
public struct SHA384: HashFunction { public typealias Digest = SHA384Digest }
public struct SHA512: HashFunction { public typealias Digest = SHA512Digest }

public struct SymmetricKey: Equatable, Sendable {
  public init<D: ContiguousBytes>(data: D) {}
}

public enum AES {
  public enum GCM {
    public struct SealedBox: Sendable {
      public var combined: Data? { nil }
      public init<D: DataProtocol>(combined: D) throws {}
    }

    public static func seal<Plaintext: DataProtocol, AuthenticatedData: DataProtocol>(
      _ message: Plaintext, using key: SymmetricKey, authenticating: AuthenticatedData
    ) throws -> SealedBox { fatalError() }

    public static func open<AuthenticatedData: DataProtocol>(
      _ sealedBox: SealedBox, using key: SymmetricKey, authenticating: AuthenticatedData
    ) throws -> Data { fatalError() }
  }
}

// The types of each curve differ, as in the reference, so a key of one curve takes no signature of another.
public enum P256 { public typealias Signing = SigningOfStub<P256> }
public enum P384 { public typealias Signing = SigningOfStub<P384> }
public enum P521 { public typealias Signing = SigningOfStub<P521> }

public enum SigningOfStub<Curve> {
  public struct ECDSASignature: Sendable {
    public var rawRepresentation: Data { Data() }
    public var derRepresentation: Data { Data() }
    public init<D: DataProtocol>(rawRepresentation: D) throws {}
  }

  public struct PublicKey: Sendable {
    public var rawRepresentation: Data { Data() }
    public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
    public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { false }
  }

  public struct PrivateKey: Sendable {
    public var publicKey: PublicKey { fatalError() }
    public init() {}
    public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
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
      public init() {}
      public func signature<D: DataProtocol>(for data: D) throws -> Data { fatalError() }
    }
  }
}

public struct HashedAuthenticationCode<H: HashFunction>: BytesOfStub {}

public struct HMAC<H: HashFunction>: Sendable {
  public static func authenticationCode<D: DataProtocol>(
    for data: D, using key: SymmetricKey
  ) -> HashedAuthenticationCode<H> { fatalError() }
}
