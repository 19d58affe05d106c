package import Foundation

extension Bundle {
  /// Whether the process with this main bundle is an app extension, which cannot show a page and shares tokens with its
  /// app.
  package var isAppExtension: Bool {
    let declared = object(forInfoDictionaryKey: "NSExtension") as? [String: Any]
    return Self.isAppExtension(
      bundlePath: bundlePath, extensionPoint: declared?["NSExtensionPointIdentifier"] as? String)
  }

  /// Returns whether a main bundle is that of an app extension.
  ///
  /// The WatchKit extension of a watch app does not count, because it is the process of the app itself.
  ///
  /// - Parameters:
  ///   - bundlePath: The path of the bundle.
  ///   - extensionPoint: The `NSExtensionPointIdentifier` of the bundle's `Info.plist`, if it has one.
  /// - Returns: Whether the bundle is that of an app extension.
  package static func isAppExtension(bundlePath: String, extensionPoint: String?) -> Bool {
    bundlePath.split(separator: "/").last?.hasSuffix(".appex") == true && extensionPoint != "com.apple.watchkit"
  }
}
