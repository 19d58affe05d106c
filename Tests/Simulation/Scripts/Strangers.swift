#if os(Linux)
  import B2CConnector
  import B2COAuth
  import B2CSettings
  import B2CTestKit
  import B2CTokenCache
  import Foundation

  extension Script {
    /// Other clients and authorities over the same cache, and edits by those who are not current.
    static let strangers: [Script] =
      CacheKind.allCases.flatMap { kind in
        [
          Script("other-client-\(kind)", "a connector of another client over one cache", Shape(kind)) {
            $0.signIn($0.alice, on: $0.app(1))
            var settings = $0.world.settings
            settings.clientID = "99999999-9999-4999-8999-999999999999"
            try $0.world.expectsNobody(settings, $0.world.tenant, over: $0.world.processes[0].cache, "client")
          },
          Script("other-authority-\(kind)", "a connector of another authority over one cache", Shape(kind)) {
            $0.signIn($0.alice, on: $0.app(1))
            let other = LocalTenant(tenantName: "fabrikam", users: [])
            let settings = try other.settings(taskServer: $0.world.server)
            try $0.world.expectsNobody(settings, other, over: $0.world.processes[0].cache, "authority")
          },
          Script("edit-by-another-\(kind)", "the second of two users edits her profile", Shape(kind)) {
            $0.signIn($0.alice, on: $0.app(1))
            $0.pass(60)
            $0.signIn($0.bob, on: $0.app(1))
            guard let edit = $0.startEdit(of: $0.alice, "Changed", on: $0.app(1)) else { return }
            $0.world.wait(edit)
            $0.world.expects("Changed", of: $0.alice)
            $0.world.expectsCurrent($0.bob, $0.call(.session, on: $0.app(1)))
          },
          Script("edit-by-a-stranger-\(kind)", "a person edits a profile who is not signed in", Shape(kind)) {
            $0.signIn($0.alice, on: $0.app(1))
            guard let edit = $0.startEdit(of: $0.bob, "Changed", on: $0.app(1)) else { return }
            $0.world.wait(edit)
            $0.world.expects(nil, of: $0.bob)
            $0.world.expectsCurrent($0.alice, $0.call(.session, on: $0.app(1)))
          },
        ]
      }
  }

  extension World {
    /// Judges that nobody is signed in for a connector of other settings.
    func expectsNobody(
      _ settings: ConnectorSettings, _ tenant: LocalTenant, over cache: any TokenCache, _ what: String
    ) throws {
      var environment = Connector.Environment()
      environment.cache = cache
      environment.transport = LocalNetwork(tenant)
      environment.presenter = ScriptedPresenter(transport: LocalNetwork(tenant), .cancel)
      environment.now = { [self] in deviceNow }
      let connector = try Connector(settings: settings, environment: environment)
      let found = machine.alone { () -> String in
        if let token = try? await connector.accessToken() { return "a token of \(token.userID)" }
        guard case .signedOut? = try? await connector.session else { return "a session" }
        return ((try? await connector.users()) ?? []).isEmpty ? "" : "a user"
      }
      ledger.tested(.onePerson)
      if found != "" { ledger.fault("I2 a connector of another \(what) has what is not its own", found ?? "it waits") }
    }

    /// Judges the name in the stored record of a person; `nil` for a person without a record.
    func expects(_ name: String?, of person: LocalUser) {
      ledger.tested(.claimsAreTrue)
      let id = userID(of: person.id)
      let record = store.records(inMemoryOf: processes).first { $0.key.userID == id }?.record
      if record?.claims["name"]?.string != name {
        ledger.fault("I6 an edit is not laid over the record of the user who finished it", person.displayName)
      }
    }

    /// Judges whom `session` names.
    func expectsCurrent(_ person: LocalUser, _ call: Call) {
      ledger.tested(.rightPerson)
      if case .success(.session(.signedIn(let user))) = call.result, user.subject == person.id { return }
      ledger.fault("I2 session names another person than the one who signed in last", "\(call.name): \(call.summary)")
    }
  }
#endif
