import B2CCore
import B2CTestKit
import Foundation
import TestSupport
import Testing

@Suite(.hangLimit)
struct LocalTenantPageTests {
  let tenant = LocalTenant()
  var visitor: TenantVisitor { TenantVisitor(tenant) }

  private static let newUser = ScriptedPresenter.Action.signUp(
    email: "new@example.com", password: "Not-A-Secret-3", displayName: "New")
  private static let wrongPassword = ScriptedPresenter.Action.signIn(email: "alice@example.com", password: "wrong")

  @Test(
    "A sign-up, also from the page of a combined policy, makes a user who can sign in",
    arguments: [LocalPolicy.signUp, .signUpOrSignIn])
  func signUp(_ policy: LocalPolicy) async throws {
    let user = visitor.user(Self.newUser)
    let answer = try await visitor.at(policy).tokens(as: user)
    #expect(user.steps.contains { $0.hasPrefix("on 'Sign up'") })
    #expect(answer.idToken["newUser"] == .bool(true))
    #expect(answer.idToken["emails"] == .array([.string("new@example.com")]))
    #expect(tenant.users.count == 3 && tenant.user(email: "new@example.com")?.displayName == "New")
    let known = visitor.user(.signIn(email: "NEW@example.com", password: "Not-A-Secret-3"))
    let second = try await visitor.tokens(as: known)
    #expect(second.idToken["oid"] == answer.idToken["oid"])
    #expect(second.idToken["newUser"] == nil)
  }

  @Test(
    "A bad sign-up is told in the page",
    arguments: [("alice@example.com", "Not-A-Secret-3"), ("nobody", "Not-A-Secret-3"), ("new@example.com", "short")])
  func badSignUp(_ email: String, _ password: String) async throws {
    let user = visitor.user(.signUp(email: email, password: password, displayName: "A"), .cancel)
    #expect(try await visitor.at(.signUp).signIn(as: user)["error"] == "access_denied")
    #expect(user.steps.contains { $0.hasPrefix("'Sign up' says:") })
    #expect(tenant.users.count == 2)
  }

  @Test(
    "Wrong credentials show the page again",
    arguments: [
      (wrongPassword, "Your password is incorrect."),
      (.signIn(email: "nobody@example.com", password: "x"), "There is no account with this email address."),
    ])
  func wrongCredentials(_ action: ScriptedPresenter.Action, _ alert: String) async throws {
    let user = visitor.user(action, .signIn(.alice))
    #expect(try await visitor.signIn(as: user)["code"] != nil)
    #expect(user.steps.contains("'Sign in' says: \(alert)"))
  }

  @Test(
    "A button ends the page with its code",
    arguments: [
      (ScriptedPresenter.Action.cancel, LocalPolicy.signIn, "AADB2C90091"), (.cancel, .signUp, "AADB2C90091"),
      (.cancel, .resetPassword, "AADB2C90091"), (.forgotPassword, .signIn, "AADB2C90118"),
      (.forgotPassword, .signUpOrSignIn, "AADB2C90118"), (.cancel, .facebookSignIn, "AADB2C90273"),
    ])
  func buttons(_ action: ScriptedPresenter.Action, _ policy: LocalPolicy, _ code: String) async throws {
    let values = try await visitor.at(policy).signIn(as: visitor.user(action))
    #expect(values["error"] == "access_denied")
    #expect(values["error_description"]?.hasPrefix(code) == true)
    #expect(values["state"] == "state-1")
    #expect(values["code"] == nil)
  }

  @Test("A profile edit changes the name; it asks for a sign-in only without a session", arguments: [true, false])
  func profileEdit(_ hasSession: Bool) async throws {
    let user = visitor.user(.signIn(.alice), .editProfile(displayName: "Alice Changed"))
    if hasSession { _ = try await visitor.signIn(as: user) }
    let answer = try await visitor.at(.editProfile).tokens(as: user)
    #expect(answer.idToken["name"] == .string("Alice Changed"))
    #expect(answer.idToken["oid"] == .string(LocalUser.alice.id))
    #expect(answer.idToken["tfp"] == .string("B2C_1_EditProfile"))
    #expect(tenant.user(email: "alice@example.com")?.displayName == "Alice Changed")
    #expect(user.steps.filter { $0.hasPrefix("on 'Sign in'") }.count == 1)
  }

  @Test("A reset sets the password and ends old tokens")
  func reset() async throws {
    let old = try await visitor.tokens()
    let reset = visitor.user(.resetPassword(email: "alice@example.com", newPassword: "Not-A-Secret-9"))
    #expect(try await visitor.at(.resetPassword).signIn(as: reset)["code"] != nil)
    let retry = visitor.user(.signIn(.alice), .signIn(email: "alice@example.com", password: "Not-A-Secret-9"))
    #expect(try await visitor.signIn(as: retry)["code"] != nil)
    #expect(retry.steps.contains("'Sign in' says: Your password is incorrect."))
    #expect(try await visitor.refresh(old["refresh_token"]).description.hasPrefix("AADB2C90129"))
  }

  @Test("A session signs in without a page, and keeps the time of its sign-in")
  func session() async throws {
    let clock = TestClock()
    let visitor = TenantVisitor(LocalTenant(now: { clock.date }))
    let user = visitor.user()
    let first = try await visitor.tokens(as: user)
    await clock.advance(by: .seconds(60))
    for changes in [[:], ["prompt": "none"]] as [[String: String?]] {
      let again = try await visitor.tokens(changes, as: user)
      #expect(again.idToken["auth_time"] == first.idToken["auth_time"])
      #expect(again.idToken["iat"] != first.idToken["iat"])
    }
    #expect(user.steps.filter { $0.hasPrefix("on ") }.count == 1)
    visitor.tenant.users.removeAll { $0.id == LocalUser.alice.id }
    // A deleted user has no session.
    #expect(try await visitor.signIn(["prompt": "none"], as: user)["error"] == "interaction_required")
  }

  @Test("Some prompts ask in spite of a session", arguments: ["login", "select_account"])
  func prompt(_ prompt: String) async throws {
    let user = visitor.user()
    _ = try await visitor.signIn(as: user)
    user.follow(.signIn(.bob))
    #expect(try await visitor.tokens(["prompt": prompt], as: user).idToken["oid"] == .string(LocalUser.bob.id))
  }

  @Test("A page belongs to its URL: an earlier one, to which a browser goes back, can still be posted")
  func pagesKeepNothing() async throws {
    let visitor = visitor.at(.signUpOrSignIn)
    let url = try visitor.authorizeURL()
    let signUp = try await visitor.post(url, ["stage": "signIn", "action": "signup"])
    #expect(signUp.text.contains("<h1>Sign up</h1>"))
    let known = ["email": "alice@example.com", "password": LocalUser.alice.password.value]
    let signIn = try await visitor.post(url, known.merging(["stage": "signIn", "action": "continue"]) { $1 })
    #expect(signIn.status == 302)
    #expect(signIn.header("set-cookie")?.hasSuffix("; Path=/; HttpOnly; SameSite=Lax; Secure") == true)
  }

  @Test("At another identity provider anyone may log in, known to the tenant or not", arguments: [true, false])
  func identityProvider(_ isHinted: Bool) async throws {
    let face = LocalUser(email: "fb@example.com", password: "", displayName: "Face", identityProvider: "facebook.com")
    let visitor = visitor.at(isHinted ? .signIn : .facebookSignIn)
    let hint: [String: String?] = isHinted ? ["domain_hint": "facebook.com"] : [:]
    for _ in 0..<2 {
      let answer = try await visitor.tokens(hint, as: visitor.user(.signIn(face)))
      #expect(answer.idToken["idp"] == .string("facebook.com") && answer.idToken["name"] == .string("Face"))
    }
    #expect(tenant.users.count == 3)
    tenant.users.append(
      LocalUser(email: "two@example.com", password: "", displayName: "Two", identityProvider: "facebook.com"))
    let known = visitor.user(.signIn(email: "two@example.com", password: ""))
    #expect(try await visitor.tokens(hint, as: known).idToken["oid"] == tenant.users.last.map { .string($0.id) })
  }
}
