#if os(Linux)
  import B2CConnector
  import B2CTestKit

  extension Script {
    /// Edits by those who are not current.
    static let strangers: [Script] =
      CacheKind.allCases.flatMap { kind in
        [
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
