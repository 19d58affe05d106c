import B2CSettings
import Foundation
import Testing

@Suite struct SettingsReaderPoliciesTests {
  private func policies(_ changes: [String: Any]) throws -> ConnectorSettings.Policies {
    try ConnectorSettings(data: Samples.file(Samples.tree(changes))).policies
  }

  // A name may look like a template's placeholder.
  @Test("A dictionary: by what they do, or by custom names, in the order of its keys")
  func dictionary() throws {
    let list = try policies([
      "policies": [
        "passwordReset": "B2C_1_Forgot", "edit-profile": ["id": "B2C_1_Edit", "name": "Your <data>"],
        "invite": ["id": "B2C_1A_Invite", "kind": "signUp"],
        "google": ["id": "B2C_1_G", "kind": "federatedSignIn", "domainHint": "google.com"],
        " My flow ": "B2C_1_x", "": "B2C_1_y",
      ]
    ])
    let expected = try [
      Policy("B2C_1_y"), Policy(id: "B2C_1_x", name: "My flow"),
      Policy(id: "B2C_1_Edit", name: "Your <data>", kind: .profileEdit),
      Policy(id: "B2C_1_G", name: "google", kind: .federatedSignIn, domainHint: "google.com"),
      Policy(id: "B2C_1A_Invite", name: "invite", kind: .signUp), Policy(id: "B2C_1_Forgot", kind: .passwordReset),
    ]
    #expect(list.others == expected)
    let error = failure(of: try Samples.file(Samples.tree(["policies": ["a\u{1}b": "B2C_1_x"]])))
    #expect(error?.problems.map(\.fault) == [.controlCharacter])
  }

  @Test("An array: ids or dictionaries, in their order")
  func array() throws {
    let list = try policies([
      "policies": ["B2C_1_ResetPassword", ["id": "B2C_1_x", "kind": "profileEdit", "name": "X"], ""]
    ])
    let expected = try [Policy("B2C_1_ResetPassword"), Policy(id: "B2C_1_x", name: "X", kind: .profileEdit)]
    #expect(list.others == expected)
  }

  @Test("All policies, each id once, whatever its case")
  func all() throws {
    let list = try policies([
      "emailSignUpPolicyId": "B2C_1_Up", "faceBookSignInPolicyId": "B2C_1_FB", "emailSignInPolicyId": "B2C_1_In",
      "policies": ["b2c_1_up", "B2C_1_More"], "policyID": "B2C_1_Last",
    ])
    #expect(list.all.map(\.id) == ["B2C_1_Up", "B2C_1_In", "B2C_1_FB", "B2C_1_More", "B2C_1_Last"])
    #expect(list["b2c_1_MORE"]?.id == "B2C_1_More" && list["B2C_1_None"] == nil)
    let inCode = ConnectorSettings.Policies(
      emailSignIn: try Policy("B2C_1_in"), others: [try Policy("B2C_1_x"), try Policy("B2C_1_IN")],
      selected: try Policy("b2c_1_X"))
    #expect(inCode.all.map(\.id) == ["B2C_1_in", "B2C_1_x"] && inCode["b2c_1_X"]?.id == "B2C_1_x")
  }

  @Test("policyID selects, with the name of policyName and what the list knows")
  func selectedByID() throws {
    let list = try policies(["faceBookSignInPolicyId": "B2C_1_FB", "policyID": "b2c_1_fb", "policyName": "Facebook"])
    let expected = try Policy(id: "b2c_1_fb", name: "Facebook", kind: .federatedSignIn, domainHint: "facebook.com")
    #expect(list.selected == expected)
  }

  @Test("A policy's name decides nothing: policyID alone signs in, and resets no password")
  func nameOfTheOnlyPolicy() throws {
    let list = try policies(["emailSignInPolicyId": "", "policyID": "B2C_1_susi_reset_v2"])
    #expect(try list.selected == Policy("B2C_1_susi_reset_v2"))
    #expect(list.policy(of: .signIn) == list.selected && list.policy(of: .signUp) == list.selected)
    #expect(list.policy(of: .passwordReset) == nil)
    #expect(try policies(["policyID": ["id": "B2C_1_x", "kind": "passwordReset"]]).selected?.kind == .passwordReset)
  }

  @Test("A policy made in code without a kind serves the purpose of its property")
  func purposeOfTheProperty() throws {
    let list = ConnectorSettings.Policies(
      emailSignUp: try Policy("B2C_1_up"), emailSignIn: try Policy("B2C_1_in"), facebookSignIn: try Policy("B2C_1_fb"))
    let kinds: [Policy.Kind] = [.signUp, .signIn, .federatedSignIn]
    #expect(kinds.map { list.policy(of: $0)?.id } == ["B2C_1_up", "B2C_1_in", "B2C_1_fb"])
  }

  @Test("One policy under two keys serves both purposes, also when its case differs")
  func shared() throws {
    let list = try policies(["emailSignUpPolicyId": "B2C_1_susi", "emailSignInPolicyId": "b2c_1_SUSI"])
    #expect(list.all.map(\.id) == ["B2C_1_susi"])
    #expect(list.policy(of: .signUp)?.id == "B2C_1_susi" && list.policy(of: .signIn)?.id == "b2c_1_SUSI")
  }

  @Test(
    "A sign-up or sign-in policy serves sign-up, sign-in and social sign-in, and nothing else",
    arguments: Policy.Kind.allCases)
  func substitutes(_ kind: Policy.Kind) throws {
    let both = try Policy(id: "B2C_1_susi", kind: .signUpOrSignIn)
    let isServed = kind != .passwordReset && kind != .profileEdit
    #expect(ConnectorSettings.Policies(others: [both]).policy(of: kind) == (isServed ? both : nil))
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
}
