import B2CAuthority
import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderPoliciesTests {
  private func policies(_ changes: [String: Any]) throws -> ConnectorSettings.Policies {
    try ConnectorSettings(data: Samples.file(changes)).policies
  }

  @Test("A dictionary: by what they do, or by custom names")
  func dictionary() throws {
    let list = try policies([
      "policies": [
        "passwordReset": "B2C_1_Forgot", "edit-profile": ["id": "B2C_1_Edit", "name": "Your data"],
        "invite": ["id": "B2C_1A_Invite", "kind": "signUp"],
        "google": ["id": "B2C_1_G", "kind": "federatedSignIn", "domainHint": "google.com"],
      ]
    ])
    #expect(list.others.count == 4)
    #expect(list["B2C_1_Forgot"]?.kind == .passwordReset)
    #expect(list["B2C_1_Edit"]?.kind == .profileEdit)
    #expect(list["B2C_1_Edit"]?.name == "Your data")
    #expect(list["B2C_1A_Invite"]?.kind == .signUp)
    #expect(list["B2C_1A_Invite"]?.name == "invite")
    #expect(list["B2C_1_G"]?.domainHint == "google.com")
  }

  @Test("A key that serves as a name is read as one")
  func keysAsNames() throws {
    let list = try policies(["policies": [" My flow ": "B2C_1_x", "": "B2C_1_y"]])
    #expect(list["B2C_1_x"]?.name == "My flow")
    #expect(list["B2C_1_y"]?.name == "B2C_1_y")
    let error = failure(of: try Samples.file(["policies": ["a\u{1}b": "B2C_1_x"]]))
    #expect(error?.problems.map(\.fault) == [.controlCharacter])
  }

  @Test("An array: ids or dictionaries, in their order")
  func array() throws {
    let list = try policies([
      "policies": ["B2C_1_ResetPassword", ["id": "B2C_1_x", "kind": "profileEdit", "name": "X"], ""]
    ])
    #expect(list.others.map(\.id) == ["B2C_1_ResetPassword", "B2C_1_x"])
    #expect(list.others.map(\.kind) == [nil, .profileEdit])
    #expect(list.others[1].name == "X")
  }

  @Test("Those of a dictionary are in the order of their keys")
  func order() throws {
    let members = ["c", "a", "b"].map { "<key>\($0)</key><string>B2C_1_\($0)</string>" }.joined()
    let settings = try Samples.settings(["policies": "<dict>\(members)</dict>"])
    #expect(settings.policies.others.map(\.id) == ["B2C_1_a", "B2C_1_b", "B2C_1_c"])
  }

  @Test("All policies, each id once, whatever its case")
  func all() throws {
    let list = try policies([
      "emailSignUpPolicyId": "B2C_1_Up", "faceBookSignInPolicyId": "B2C_1_FB", "emailSignInPolicyId": "B2C_1_In",
      "policies": ["b2c_1_up", "B2C_1_More"], "policyID": "B2C_1_Last",
    ])
    #expect(list.all.map(\.id) == ["B2C_1_Up", "B2C_1_In", "B2C_1_FB", "B2C_1_More", "B2C_1_Last"])
    #expect(list["b2c_1_MORE"]?.id == "B2C_1_More")
    #expect(list["B2C_1_None"] == nil)
  }

  @Test("policyID selects, with the name of policyName and what the list knows")
  func selectedByID() throws {
    let list = try policies([
      "faceBookSignInPolicyId": "B2C_1_FB", "policyID": "b2c_1_fb", "policyName": "Facebook",
    ])
    #expect(list.selected?.id == "b2c_1_fb")
    #expect(list.selected?.name == "Facebook")
    #expect(list.selected?.kind == .federatedSignIn)
    #expect(list.selected?.domainHint == "facebook.com")
  }

  @Test("A policy's name decides nothing: policyID alone signs in, and resets no password")
  func nameOfTheOnlyPolicy() throws {
    let list = try policies(["emailSignInPolicyId": "", "policyID": "B2C_1_susi_reset_v2"])
    #expect(list.selected != nil && list.selected?.kind == nil)
    #expect(list.policy(of: .signIn)?.id == "B2C_1_susi_reset_v2")
    #expect(list.policy(of: .signUp)?.id == "B2C_1_susi_reset_v2")
    #expect(list.policy(of: .passwordReset) == nil)
    #expect(try policies(["policyID": ["id": "B2C_1_x", "kind": "passwordReset"]]).selected?.kind == .passwordReset)
  }

  @Test("A policy made in code without a kind serves the purpose of its property")
  func purposeOfTheProperty() throws {
    let list = ConnectorSettings.Policies(
      emailSignUp: try Policy("B2C_1_up"), emailSignIn: try Policy("B2C_1_in"), facebookSignIn: try Policy("B2C_1_fb"))
    #expect(list.policy(of: .signUp)?.id == "B2C_1_up")
    #expect(list.policy(of: .signIn)?.id == "B2C_1_in")
    #expect(list.policy(of: .federatedSignIn)?.id == "B2C_1_fb")
  }

  @Test("One policy under two keys serves both purposes, also when its case differs")
  func shared() throws {
    let list = try policies(["emailSignUpPolicyId": "B2C_1_susi", "emailSignInPolicyId": "b2c_1_SUSI"])
    #expect(list.all.map(\.id) == ["B2C_1_susi"])
    #expect(list.policy(of: .signUp)?.id == "B2C_1_susi")
    #expect(list.policy(of: .signIn)?.id == "b2c_1_SUSI")
  }

  @Test("A sign-up or sign-in policy serves sign-up, sign-in and social sign-in, and nothing else")
  func substitutes() throws {
    let both = try Policy(id: "B2C_1_susi", kind: .signUpOrSignIn)
    let list = ConnectorSettings.Policies(others: [both])
    for kind in [Policy.Kind.signUp, .signIn, .signUpOrSignIn, .federatedSignIn] {
      #expect(list.policy(of: kind) == both)
    }
    #expect(list.policy(of: .passwordReset) == nil)
    #expect(list.policy(of: .profileEdit) == nil)
  }

  @Test("A policy of the same kind wins over a substitute, and the selected one over all of its kind")
  func precedence() throws {
    let both = try Policy(id: "B2C_1_susi", kind: .signUpOrSignIn)
    let signIn = try Policy(id: "B2C_1_in", kind: .signIn)
    let other = try Policy(id: "B2C_1_other", kind: .signIn)
    #expect(ConnectorSettings.Policies(others: [both, signIn, other]).policy(of: .signIn) == signIn)
    #expect(ConnectorSettings.Policies(others: [both, signIn], selected: other).policy(of: .signIn) == other)
    #expect(ConnectorSettings.Policies(others: [signIn]).policy(of: .signUpOrSignIn) == signIn)
    #expect(ConnectorSettings.Policies(others: [signIn]).policy(of: .signUp) == nil)
    #expect(ConnectorSettings.Policies().policy(of: .signIn) == nil)
  }

  @Test("A policy in two cases of letters is one policy")
  func oneInTwoCases() throws {
    let policies = ConnectorSettings.Policies(
      emailSignIn: try Policy(id: "B2C_1_in", kind: .signIn), others: [try Policy("B2C_1_x"), try Policy("B2C_1_IN")],
      selected: try Policy("b2c_1_X"))
    #expect(policies.all.map(\.id) == ["B2C_1_in", "B2C_1_x"])
    #expect(policies["b2c_1_X"]?.id == "B2C_1_x")
  }

  @Test("An array literal lists policies, and the first one of a repeated id counts")
  func arrayLiteral() throws {
    let policies: ConnectorSettings.Policies = [
      try Policy(id: "B2C_1_in", kind: .signIn), try Policy(id: "B2C_1_edit", kind: .profileEdit),
      try Policy(id: "b2c_1_IN", kind: .passwordReset), try Policy(id: "B2C_1_in", kind: .signIn),
    ]
    #expect(policies.others.count == 4 && policies.selected == nil && policies.emailSignIn == nil)
    #expect(policies.all.map(\.id) == ["B2C_1_in", "B2C_1_edit"])
    #expect(policies["B2C_1_IN"]?.kind == .signIn && policies.policy(of: .profileEdit)?.id == "B2C_1_edit")
  }

  @Test("Equality sees names, kinds and hints")
  func equality() throws {
    let plain = ConnectorSettings.Policies(emailSignIn: try Policy(id: "B2C_1_in", kind: .signIn))
    let named = ConnectorSettings.Policies(emailSignIn: try Policy(id: "B2C_1_in", name: "In", kind: .signIn))
    #expect(plain != named)
    #expect(
      plain == ConnectorSettings.Policies(emailSignIn: try Policy(id: "B2C_1_in", name: "B2C_1_in", kind: .signIn)))
  }
}
