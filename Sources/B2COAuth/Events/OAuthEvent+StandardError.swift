internal import Foundation

extension OAuthEvent {
  /// Writes each event as a line to standard error: an `onEvent` for command lines and servers.
  public static let toStandardError: @Sendable (OAuthEvent) -> Void = { event in
    FileHandle.standardError.write(Data("B2CConnector: \(event)\n".utf8))
  }
}
