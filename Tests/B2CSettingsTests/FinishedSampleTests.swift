import B2CAuthority
import B2CSettings
import Foundation
import Testing

@Suite("The tutorial's finished sample")
struct FinishedSampleTests {
  @Test("Every value is read")
  func values() throws {
    let settings = try ConnectorSettings(data: Data(Samples.finished.utf8))
    #expect(settings.authority == (try Authority("https://login.microsoftonline.com/hypercubeb2c.onmicrosoft.com/")))
    #expect(settings.clientID == "7bf688ce-8139-4ca8-9391-02fdb6f86d67")
    #expect(settings.scopes == ["7bf688ce-8139-4ca8-9391-02fdb6f86d67"])
    #expect(settings.additionalScopes.isEmpty)
    #expect(settings.redirectURI.absoluteString == "urn:ietf:wg:oauth:2.0:oob")
    #expect(settings.userID == "test@hypercubeb2c.onmicrosoft.com")
    #expect(settings.taskWebAPI?.absoluteString == "https://kidventus.net/todoserver/tasks")
    #expect(!settings.fullScreen)
    #expect(settings.showClaims)
    #expect(settings.correlationID == nil)
    let policies = settings.policies
    #expect(policies.emailSignUp?.id == "B2C_1_todo_email_signup")
    #expect(policies.emailSignUp?.kind == .signUp)
    #expect(policies.facebookSignIn?.id == "B2C_1_todo_facebook_signin")
    #expect(policies.facebookSignIn?.kind == .federatedSignIn)
    #expect(policies.facebookSignIn?.domainHint == "facebook.com")
    #expect(policies.emailSignIn?.id == "B2C_1_todo_email_signin")
    #expect(policies.emailSignIn?.kind == .signIn)
    #expect(policies.selected == nil)
  }

  @Test("What has gone out of use since is a warning, with its successor")
  func warnings() throws {
    let warnings = try ConnectorSettings(data: Data(Samples.finished.utf8)).warnings
    #expect(warnings.map(\.kind) == [.retiredAuthority, .outOfBandRedirectURI])
    #expect(warnings.map(\.keyPath) == ["authority", "redirectUri"])
    #expect(warnings.map(\.line) == [6, 18])
    #expect(warnings.first?.answer == "https://hypercubeb2c.b2clogin.com/hypercubeb2c.onmicrosoft.com/")
    #expect(warnings.allSatisfy { $0.severity == .warning })
  }
}
