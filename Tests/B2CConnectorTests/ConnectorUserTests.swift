import B2CConnector
import B2CTestKit
import Foundation
import TestSupport
import Testing

/// Calls about a person who is named, beside another who signed in last.
@Suite("Calls for a named user")
struct ConnectorUserTests {
  /// Alice and then Bob have signed in; each has a task.
  private struct Stage {
    let scene = Scene(dialect: .rest)
    let connector: Connector
    let alice: UserInfo
    let bob: UserInfo

    init() async throws {
      let presenter = scene.script(.signIn(.alice))
      connector = try Connector(settings: scene.settings(), environment: scene.environment(presenter: presenter)) {
        $0.taskDialect = .rest
      }
      alice = UserInfo(id: try await connector.doPolicy(.signIn).id)
      presenter.follow(.signIn(.bob))
      bob = UserInfo(
        id: try await connector.doPolicy(.signIn, options: SignInOptions(prompt: .login)).id)
      scene.tasks.tasks = [LocalUser.alice, .bob].map {
        LocalTask(owner: $0.id, text: $0.displayName, date: scene.clock.date)
      }
    }

    func titles(of user: LocalUser) -> [String] { scene.tasks.tasks(of: user.id).map(\.text) }
  }

  @Test("The list is the named user's, the current one's without a name")
  func lists() async throws {
    let stage = try await Stage()
    let (alice, bob) = (LocalUser.alice.displayName, LocalUser.bob.displayName)
    #expect(try await stage.connector.getTaskList(user: stage.alice).map(\.itemName) == [alice])
    #expect(try await stage.connector.getTaskList(user: stage.bob).map(\.itemName) == [bob])
    #expect(try await stage.connector.getTaskList().map(\.itemName) == [bob])
  }

  @Test("A task is added, changed and deleted in the named user's list")
  func changes() async throws {
    let stage = try await Stage()
    let before = stage.titles(of: .bob)
    var task = try await stage.connector.addTask(TaskItem(itemName: "Hers"), user: stage.alice)
    #expect(stage.titles(of: .alice).contains("Hers"))
    task.itemName = "Still hers"
    task = try await stage.connector.updateTask(task, user: stage.alice)
    #expect(stage.titles(of: .alice).contains("Still hers"))
    try await stage.connector.deleteTask(task, user: stage.alice)
    #expect(stage.titles(of: .alice) == [LocalUser.alice.displayName])
    #expect(stage.titles(of: .bob) == before)
  }

  @Test("Without a session of the named user nothing is sent, even if another is signed in")
  func unknown() async throws {
    let stage = try await Stage()
    try await stage.connector.signOut(stage.alice)
    let sent = stage.scene.tasks.requests.count
    let error = try await #require(throws: ConnectorError.self) {
      try await stage.connector.getTaskList(user: stage.alice)
    }
    #expect(error.needsInteraction && stage.scene.tasks.requests.count == sent)
    #expect(try await stage.connector.user(id: stage.alice.id) == nil)
  }

  @Test("User info and the stored user are the named user's")
  func userInfo() async throws {
    let stage = try await Stage()
    for (person, user) in [(stage.alice, LocalUser.alice), (stage.bob, .bob), (nil, .bob)] {
      #expect(try await stage.connector.fetchUserInfo(user: person).name == user.displayName)
    }
    let stored = try #require(try await stage.connector.user(id: stage.alice.id))
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
