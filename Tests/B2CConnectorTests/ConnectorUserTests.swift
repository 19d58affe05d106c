import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Calls about a person who is named, beside another who signed in last.
@Suite("Calls for a named user")
struct ConnectorUserTests {
  /// Alice and then Bob have signed in; each has a task.
  private struct Scene {
    let world = World(dialect: .rest)
    let connector: Connector
    let alice: UserInfo
    let bob: UserInfo

    init() async throws {
      let presenter = world.script(.signIn(.alice))
      connector = try Connector(settings: world.settings(), environment: world.environment(presenter: presenter)) {
        $0.taskDialect = .rest
      }
      alice = UserInfo(id: try await connector.doPolicy(.signIn).id)
      presenter.follow(.signIn(.bob))
      bob = UserInfo(
        id: try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login)).id)
      world.tasks.tasks = [LocalUser.alice, .bob].map {
        LocalTask(owner: $0.id, text: $0.displayName, date: world.clock.date)
      }
    }

    func titles(of user: LocalUser) -> [String] { world.tasks.tasks(of: user.id).map(\.text) }
  }

  @Test("The list is the named user's, the current one's without a name")
  func lists() async throws {
    let scene = try await Scene()
    let (alice, bob) = (LocalUser.alice.displayName, LocalUser.bob.displayName)
    #expect(try await scene.connector.getTaskList(user: scene.alice).map(\.itemName) == [alice])
    #expect(try await scene.connector.getTaskList(user: scene.bob).map(\.itemName) == [bob])
    #expect(try await scene.connector.getTaskList().map(\.itemName) == [bob])
  }

  @Test("A task is added, changed and deleted in the named user's list")
  func changes() async throws {
    let scene = try await Scene()
    let before = scene.titles(of: .bob)
    var task = try await scene.connector.addTask(TaskItem(itemName: "Hers"), user: scene.alice)
    #expect(scene.titles(of: .alice).contains("Hers"))
    task.itemName = "Still hers"
    task = try await scene.connector.updateTask(task, user: scene.alice)
    #expect(scene.titles(of: .alice).contains("Still hers"))
    try await scene.connector.deleteTask(task, user: scene.alice)
    #expect(scene.titles(of: .alice) == [LocalUser.alice.displayName])
    #expect(scene.titles(of: .bob) == before)
  }

  @Test("Without a session of the named user nothing is sent, even if another is signed in")
  func unknown() async throws {
    let scene = try await Scene()
    try await scene.connector.signOut(scene.alice)
    let sent = scene.world.tasks.requests.count
    let error = try await #require(throws: ConnectorError.self) {
      try await scene.connector.getTaskList(user: scene.alice)
    }
    #expect(error.needsInteraction && scene.world.tasks.requests.count == sent)
    #expect(try await scene.connector.user(id: scene.alice.id) == nil)
  }

  @Test("User info and the stored user are the named user's")
  func userInfo() async throws {
    let scene = try await Scene()
    for (person, user) in [(scene.alice, LocalUser.alice), (scene.bob, .bob), (nil, .bob)] {
      #expect(try await scene.connector.fetchUserInfo(user: person).name == user.displayName)
    }
    let stored = try #require(try await scene.connector.user(id: scene.alice.id))
    #expect(stored.name == LocalUser.alice.displayName && stored.hasSession)
  }

  @Test("A user made of the parts of another is equal, whichever claim names the policy", arguments: ["tfp", "acr"])
  func parts(_ claim: String) async throws {
    let tenant = LocalTenant()
    tenant.behavior.changeIDTokenClaims = {
      let policy = $0["tfp"]
      $0["tfp"] = nil
      $0[claim] = policy
    }
    let user = try await Connector.local(tenant).signIn().user
    #expect(user.policyID != nil)
    #expect(UserInfo(id: user.id, claims: user.claims, policyID: user.policyID, hasSession: user.hasSession) == user)
  }

  @Test(
    "The id of the user who signed in is the user's, and signs that user out",
    arguments: [LocalTenant.Shape.b2c, .entra, .ciam, .openIDConnect])
  func signOut(_ shape: LocalTenant.Shape) async throws {
    let connector = try Connector.local(LocalTenant(shape: shape))
    let result = try await connector.signIn()
    #expect(result.user.hasSession && result.accessToken?.userID == result.user.id)
    let user = result.user
    #expect(UserInfo(id: user.id, claims: user.claims, policyID: user.policyID, hasSession: true) == user)
    #expect(try await connector.session == .signedIn(result.user))
    #expect(try await connector.fetchUserInfo().id == result.user.id)
    try await connector.signOut(UserInfo(id: result.user.id))
    #expect(try await connector.users().isEmpty)
    #expect(try await connector.session == .signedOut)
  }
}
