import B2CCore
import B2COAuth
import Testing

@MainActor
@Suite("The window of a sheet")
struct SheetWindowTests {
  private typealias Scene = SheetWindow.Scene<String>

  nonisolated static let bundles: [(String, Bool)] = [
    ("/var/containers/Bundle/Application/0A/Tasks.app/PlugIns/Share.appex", true),
    ("/private/var/containers/Bundle/Application/0A/Tasks.app/Extensions/Widget.appex/", true),
    ("/Applications/Tasks.app/Contents/PlugIns/Share.appex", true), ("/Applications/Tasks.app", false),
    ("/Applications/My.appex.app", false), ("/Users/me/Share.appex/Build/tool", false), ("/", false), ("", false),
  ]

  @Test("An extension is known by its bundle", arguments: bundles)
  func isExtension(_ path: String, _ expected: Bool) {
    #expect(AppExtension.isExtension(bundlePath: path, extensionPoint: nil) == expected)
  }

  @Test("The extension of a watch app is the app: watchOS 9 still runs it as one")
  func watchKitExtension() {
    let path = "/private/var/containers/Bundle/Application/0A/Watch.app/PlugIns/Extension.appex"
    #expect(!AppExtension.isExtension(bundlePath: path, extensionPoint: "com.apple.watchkit"))
    #expect(AppExtension.isExtension(bundlePath: path, extensionPoint: "com.apple.widgetkit-extension"))
    #expect(AppExtension.isExtension(bundlePath: path, extensionPoint: nil))
    #expect(!AppExtension.isExtension(bundlePath: "/Watch.app", extensionPoint: "com.apple.watchkit"))
  }

  @Test("In an extension no window is looked for, and the error says to open the app")
  func noSearchInExtensions() {
    var searches = 0
    let error = #expect(throws: OAuthError.self) {
      _ = try SheetWindow.window(nil, isExtension: true) {
        searches += 1
        return "found"
      }
    }
    #expect(error?.code == .presentationFailed)
    #expect(error?.message.contains("extension") == true)
    #expect(error?.recoverySuggestion?.contains("open the app") == true)
    #expect(searches == 0)
  }

  @Test("The app's own choice comes first, also in an extension; then what is found; else it is an error")
  func choice() throws {
    #expect(try SheetWindow.window("mine", isExtension: true) { "found" } == "mine")
    #expect(try SheetWindow.window("mine", isExtension: false) { "found" } == "mine")
    #expect(try SheetWindow.window(nil, isExtension: false) { "found" } == "found")
    let error = #expect(throws: OAuthError.self) {
      _ = try SheetWindow.window(nil, isExtension: false) { () -> String? in nil }
    }
    #expect(error?.code == .presentationFailed)
    #expect(error?.recoverySuggestion?.contains("anchor") == true)
  }

  @Test("Active before inactive, never in the background, the scene's key window before its others, in any order")
  func scenes() {
    let background = Scene(.away, keyWindow: "background", windows: ["background"])
    let inactive = Scene(.foregroundInactive, keyWindow: "inactive", windows: ["other", "inactive"])
    let active = Scene(.foregroundActive, keyWindow: "active", windows: ["other", "active"])
    let keyless = Scene(.foregroundActive, keyWindow: nil, windows: ["keyless"])
    let empty = Scene(.foregroundActive, keyWindow: nil, windows: [])
    let rows: [([Scene], String?)] = [
      ([background, inactive, active], "active"), ([background, inactive], "inactive"), ([background], nil), ([], nil),
      ([keyless, inactive], "keyless"), ([keyless, active], "active"), ([empty, inactive], "inactive"), ([empty], nil),
    ]
    for (scenes, expected) in rows {
      #expect(SheetWindow.window(of: scenes) == expected)
      #expect(SheetWindow.window(of: scenes.reversed()) == expected)
    }
  }

  @Test("On the Mac: key, main, then one that can be main; a status item's window is none")
  func mac() {
    let windows = ["status item", "document"]
    func choice(key: String? = nil, main: String? = nil, _ windows: [String]) -> String? {
      SheetWindow.window(key: key, main: main, windows: windows) { $0 == "document" }
    }
    #expect(choice(key: "panel", main: "main", windows) == "panel")
    #expect(choice(main: "main", windows) == "main")
    #expect(choice(windows) == "document")
    #expect(choice(["status item"]) == nil)
  }
}
