import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantPageTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }

  private func visitor(_ policy: LocalPolicy) -> TenantVisitor {
    var visitor = visitor
    visitor.policy = policy
    return visitor
  }

  private func presenter(_ script: ScriptedPresenter.Action) -> ScriptedPresenter {
    ScriptedPresenter(transport: tenant.transport, script)
  }

  @Test func signUpMakesAUserWhoCanSignIn() async throws {
    let signUp = presenter(.signUp(email: "new@example.com", password: "Not-A-Secret-3", displayName: "New"))
    let values = try await visitor(.signUp).signIn(presenter: signUp)
    let answer = try await visitor(.signUp).redeem(values["code"])
    #expect(answer.idToken["newUser"] == .bool(true))
    #expect(answer.idToken["emails"] == .array([.string("new@example.com")]))
    #expect(tenant.users.count == 3)
    let signIn = presenter(.signIn(email: "NEW@example.com", password: "Not-A-Secret-3"))
    let second = try await visitor.redeem(visitor.signIn(presenter: signIn)["code"])
    #expect(second.idToken["oid"] == answer.idToken["oid"])
    #expect(second.idToken["newUser"] == nil)
  }

  @Test func combinedPolicyLeadsToSignUp() async throws {
    let signUp = presenter(.signUp(email: "new@example.com", password: "Not-A-Secret-3", displayName: "New"))
    let values = try await visitor(.signUpOrSignIn).signIn(presenter: signUp)
    #expect(values["code"] != nil)
    #expect(tenant.user(email: "new@example.com")?.displayName == "New")
    #expect(signUp.steps.contains { $0.hasPrefix("on 'Sign up'") })
  }

  @Test(arguments: [
    ScriptedPresenter.Action.signUp(email: "alice@example.com", password: "Not-A-Secret-3", displayName: "A"),
    .signUp(email: "nobody", password: "Not-A-Secret-3", displayName: "A"),
    .signUp(email: "new@example.com", password: "short", displayName: "A"),
  ])
  func badSignUpIsToldInThePage(action: ScriptedPresenter.Action) async throws {
    let presenter = ScriptedPresenter(transport: tenant.transport, action, .cancel)
    let values = try await visitor(.signUp).signIn(presenter: presenter)
    #expect(values["error"] == "access_denied")
    #expect(presenter.steps.contains { $0.hasPrefix("'Sign up' says:") })
    #expect(tenant.users.count == 2)
  }

  @Test(arguments: [
    (ScriptedPresenter.Action.signIn(email: "alice@example.com", password: "wrong"), "Your password is incorrect."),
    (.signIn(email: "nobody@example.com", password: "x"), "There is no account with this email address."),
  ])
  func wrongCredentialsShowThePageAgain(action: ScriptedPresenter.Action, alert: String) async throws {
    let presenter = ScriptedPresenter(transport: tenant.transport, action, .signIn(.alice))
    let values = try await visitor.signIn(presenter: presenter)
    #expect(values["code"] != nil)
    #expect(presenter.steps.contains("'Sign in' says: \(alert)"))
  }

  @Test(arguments: [
    (ScriptedPresenter.Action.cancel, LocalPolicy.signIn, "AADB2C90091"), (.cancel, .signUp, "AADB2C90091"),
    (.cancel, .resetPassword, "AADB2C90091"), (.forgotPassword, .signIn, "AADB2C90118"),
    (.forgotPassword, .signUpOrSignIn, "AADB2C90118"), (.cancel, .facebookSignIn, "AADB2C90273"),
  ])
  func buttonsEndWithTheirCode(
    action: ScriptedPresenter.Action, policy: LocalPolicy, code: String
  ) async throws {
    let values = try await visitor(policy).signIn(presenter: presenter(action))
    #expect(values["error"] == "access_denied")
    #expect(values["error_description"]?.hasPrefix(code) == true)
    #expect(values["state"] == "state-1")
    #expect(values["code"] == nil)
  }

  @Test func profileEditSignsInFirstAndChangesTheName() async throws {
    let presenter = ScriptedPresenter(
      transport: tenant.transport, .signIn(.alice), .editProfile(displayName: "Alice Changed"))
    let visitor = visitor(.editProfile)
    let answer = try await visitor.redeem(visitor.signIn(presenter: presenter)["code"])
    #expect(answer.idToken["name"] == .string("Alice Changed"))
    #expect(answer.idToken["oid"] == .string(LocalUser.alice.id))
    #expect(answer.idToken["tfp"] == .string("B2C_1_EditProfile"))
    #expect(tenant.user(email: "alice@example.com")?.displayName == "Alice Changed")
  }

  @Test func profileEditWithASessionGoesStraightToTheProfile() async throws {
    let presenter = ScriptedPresenter(
      transport: tenant.transport, .signIn(.alice), .editProfile(displayName: "Alice Changed"))
    _ = try await visitor.signIn(presenter: presenter)
    _ = try await visitor(.editProfile).signIn(presenter: presenter)
    #expect(presenter.steps.filter { $0.hasPrefix("on 'Sign in'") }.count == 1)
    #expect(tenant.user(email: "alice@example.com")?.displayName == "Alice Changed")
  }

  @Test func resetSetsThePasswordAndEndsOldTokens() async throws {
    let old = try await visitor.tokens()
    let reset = presenter(.resetPassword(email: "alice@example.com", newPassword: "Not-A-Secret-9"))
    #expect(try await visitor(.resetPassword).signIn(presenter: reset)["code"] != nil)
    let retry = ScriptedPresenter(
      transport: tenant.transport, .signIn(.alice), .signIn(email: "alice@example.com", password: "Not-A-Secret-9"))
    #expect(try await visitor.signIn(presenter: retry)["code"] != nil)
    #expect(retry.steps.contains("'Sign in' says: Your password is incorrect."))
    #expect(try await visitor.refresh(old["refresh_token"]).description.hasPrefix("AADB2C90129"))
  }

  @Test func sessionSignsInWithoutAPageAndKeepsItsTime() async throws {
    let clock = TestClock()
    let tenant = LocalTenant(now: { clock.date })
    let visitor = TenantVisitor(tenant)
    let presenter = visitor.makePresenter()
    let first = try await visitor.redeem(visitor.signIn(presenter: presenter)["code"])
    await clock.advance(by: .seconds(60))
    for changes in [[:], ["prompt": "none"]] as [[String: String?]] {
      let again = try await visitor.redeem(visitor.signIn(changes, presenter: presenter)["code"])
      #expect(again.idToken["auth_time"] == first.idToken["auth_time"])
      #expect(again.idToken["iat"] != first.idToken["iat"])
    }
    #expect(presenter.steps.filter { $0.hasPrefix("on ") }.count == 1)
  }

  @Test(arguments: ["login", "select_account"])
  func promptAsksAgain(prompt: String) async throws {
    let presenter = ScriptedPresenter(transport: tenant.transport, .signIn(.alice))
    _ = try await visitor.signIn(presenter: presenter)
    presenter.follow(.signIn(.bob))
    let bob = try await visitor.redeem(visitor.signIn(["prompt": prompt], presenter: presenter)["code"])
    #expect(bob.idToken["oid"] == .string(LocalUser.bob.id))
  }

  @Test func deletedUsersSessionIsNone() async throws {
    let presenter = visitor.makePresenter()
    _ = try await visitor.signIn(presenter: presenter)
    tenant.users.removeAll { $0.id == LocalUser.alice.id }
    let values = try await visitor.signIn(["prompt": "none"], presenter: presenter)
    #expect(values["error"] == "interaction_required")
  }

  @Test("A page belongs to its URL: an earlier one, to which a browser goes back, can still be posted")
  func pagesKeepNothing() async throws {
    let visitor = visitor(.signUpOrSignIn)
    let url = try visitor.authorizeURL()
    let signUp = try await visitor.post(url, ["stage": "signIn", "action": "signup"])
    #expect(String(decoding: signUp.body, as: UTF8.self).contains("<h1>Sign up</h1>"))
    let known = ["email": "alice@example.com", "password": LocalUser.alice.password.value]
    let signIn = try await visitor.post(url, known.merging(["stage": "signIn", "action": "continue"]) { $1 })
    #expect(signIn.status == 302)
    #expect(
      signIn.header("set-cookie")?.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure") == true)
  }

  @Test("At another identity provider anyone may log in, known to the tenant or not", arguments: [true, false])
  func identityProvider(_ isHinted: Bool) async throws {
    let face = LocalUser(email: "fb@example.com", password: "", displayName: "Face", identityProvider: "facebook.com")
    let visitor = visitor(isHinted ? .signIn : .facebookSignIn)
    let hint: [String: String?] = isHinted ? ["domain_hint": "facebook.com"] : [:]
    for _ in 0..<2 {
      let answer = try await visitor.redeem(visitor.signIn(hint, presenter: presenter(.signIn(face)))["code"])
      #expect(answer.idToken["idp"] == .string("facebook.com") && answer.idToken["name"] == .string("Face"))
    }
    #expect(tenant.users.count == 3)
    tenant.users.append(
      LocalUser(email: "two@example.com", password: "", displayName: "Two", identityProvider: "facebook.com"))
    let known = presenter(.signIn(email: "two@example.com", password: ""))
    let answer = try await visitor.redeem(visitor.signIn(hint, presenter: known)["code"])
    #expect(answer.idToken["oid"] == tenant.users.last.map { .string($0.id) })
  }
}
