import B2CCore
import Foundation
import Testing

/// In an app extension no refresh token is sent.
@Suite struct AppExtensionTests {
  static let bundles: [(String, Bool)] = [
    ("/var/containers/Bundle/Application/0A/Tasks.app/PlugIns/Share.appex", true),
    ("/private/var/containers/Bundle/Application/0A/Tasks.app/Extensions/Widget.appex/", true),
    ("/Applications/Tasks.app/Contents/PlugIns/Share.appex", true), ("/Applications/Tasks.app", false),
    ("/Applications/My.appex.app", false), ("/Users/me/Share.appex/Build/tool", false), ("/", false), ("", false),
  ]

  @Test("An extension is known by its bundle", arguments: bundles)
  func isExtension(_ path: String, _ expected: Bool) {
    #expect(Bundle.isAppExtension(bundlePath: path, extensionPoint: nil) == expected)
  }

  @Test("The extension of a watch app is the app: watchOS 9 still runs it as one")
  func watchKitExtension() {
    let path = "/private/var/containers/Bundle/Application/0A/Watch.app/PlugIns/Extension.appex"
    #expect(!Bundle.isAppExtension(bundlePath: path, extensionPoint: "com.apple.watchkit"))
    #expect(Bundle.isAppExtension(bundlePath: path, extensionPoint: "com.apple.widgetkit-extension"))
    #expect(Bundle.isAppExtension(bundlePath: path, extensionPoint: nil))
    #expect(!Bundle.isAppExtension(bundlePath: "/Watch.app", extensionPoint: "com.apple.watchkit"))
  }
}
