// swift-format-ignore-file
// As much of SwiftUI as the documentation's examples use; protocols and property wrappers isolated as in the reference.
@_exported import Foundation

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension Never: View {
  public var body: Never { return fatalError() }
}

@resultBuilder public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView {
    TupleView()
  }
  public static func buildIf<Content: View>(_ content: Content?) -> TupleView { TupleView() }
  public static func buildEither<Content: View>(first: Content) -> TupleView { TupleView() }
  public static func buildEither<Content: View>(second: Content) -> TupleView { TupleView() }
}

public struct EmptyView: View {
  public nonisolated init() {}
  public var body: Never { return fatalError() }
}

public struct TupleView: View {
  public nonisolated init() {}
  public var body: Never { return fatalError() }
}

public struct Text: View {
  public nonisolated init<S: StringProtocol>(_ content: S) {}
  public var body: Never { return fatalError() }
}

public struct Button: View {
  public nonisolated init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
  public var body: Never { return fatalError() }
}

public struct VStack: View {
  public nonisolated init<Content: View>(@ViewBuilder content: () -> Content) {}
  public var body: Never { return fatalError() }
}

extension View {
  public nonisolated func onOpenURL(perform action: @escaping (URL) -> Void) -> TupleView { TupleView() }
  public nonisolated func task(_ action: @escaping @Sendable () async -> Void) -> TupleView { TupleView() }
  public nonisolated func disabled(_ disabled: Bool) -> TupleView { TupleView() }
}

@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

@resultBuilder public enum SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

public struct WindowGroup: Scene {
  public nonisolated init<Content: View>(@ViewBuilder content: () -> Content) {}
  public var body: Never { return fatalError() }
}

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
  init()
}

extension App {
  public static func main() {}
}

@propertyWrapper public struct State<Value> {
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set { _ = newValue }
  }
}

@propertyWrapper public struct Environment<Value> {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}

public struct EnvironmentValues {
  public var openURL: OpenURLAction { OpenURLAction() }
}

@MainActor public struct OpenURLAction: Sendable {
  public nonisolated init() {}
  public func callAsFunction(_ url: URL) {}
}
