#if os(Linux)
  /// The kinds of step of a random walk.
  enum Step: String, CaseIterable {
    // What the app does.
    case signIn, list, listOfPerson, add, delete, token, forceRefresh, tokenOfPerson, session, users
    case tokenWithClaims, user, userInfo, data, signInNamed, signInInTwo, signOutAll, signOutOne, signOutInBrowser
    case editProfile, resetPassword, cancel, several, neighbour
    // What happens to the app.
    case close, closeTransport, suspend, resume, kill, losePower, clockJump
    // What happens to the store.
    case diskFull, diskUnreachable, diskHiccup, diskPart, diskWell, damage
    // What happens at the servers and on the way.
    case revoke, refuseRefresh, refuseToken, refuseAll, changeClaims, rollKeys, networkBad, networkGood
    // Time.
    case wait

    /// How often it is drawn, compared with the others.
    var weight: Int {
      switch self {
      case .signIn: 10
      case .list, .add, .token: 8
      case .wait: 8
      case .cancel: 7
      case .delete, .forceRefresh, .tokenOfPerson, .several: 5
      case .resume, .diskWell, .networkGood, .networkBad: 4
      case .session, .listOfPerson: 3
      case .losePower, .damage, .clockJump, .rollKeys, .refuseAll: 1
      default: 2
      }
    }

    /// Steps that every walk may take; of the others each walk leaves some out.
    var isEssential: Bool { [.signIn, .list, .token, .wait, .resume, .diskWell, .networkGood].contains(self) }
  }
#endif
