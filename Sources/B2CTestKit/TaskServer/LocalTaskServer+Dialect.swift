extension LocalTaskServer {
  /// Which of the two published servers is spoken.
  public struct Dialect: Sendable, Hashable {
    /// The path of the tasks, such as `/tasks`.
    public var basePath: String
    /// The JSON member that holds a task's text.
    public var textKey: String
    /// The claims that name the owner, the first that is there counts.
    public var ownerClaims: [String]

    /// Makes a dialect.
    ///
    /// - Parameters:
    ///   - basePath: The path of the tasks, without a slash at its end.
    ///   - textKey: The JSON member that holds a task's text.
    ///   - ownerClaims: The claims that name the owner, the first that is there counts.
    public init(basePath: String, textKey: String, ownerClaims: [String]) {
      self.basePath = basePath
      self.textKey = textKey
      self.ownerClaims = ownerClaims
    }

    /// The tutorial's text: `/tasks`, `task`, the owner is `sub`.
    public static let tutorial = Dialect(basePath: "/tasks", textKey: "task", ownerClaims: ["sub"])
    /// The server's repository: `/api/tasks`, `Text`, the owner is `oid`, else `sub`.
    public static let repository = Dialect(basePath: "/api/tasks", textKey: "Text", ownerClaims: ["oid", "sub"])
  }

  /// A token bucket: so many requests a second, and so many at once.
  public struct RateLimit: Sendable, Hashable {
    /// How many requests a second the bucket takes in the long run.
    public var requestsPerSecond: Int
    /// How many requests it takes at once.
    public var burst: Int

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - requestsPerSecond: How many requests a second in the long run.
    ///   - burst: How many at once.
    public init(requestsPerSecond: Int, burst: Int) {
      self.requestsPerSecond = requestsPerSecond
      self.burst = burst
    }

    /// The published server's: 5 a second, 10 at once.
    public static let published = RateLimit(requestsPerSecond: 5, burst: 10)
  }

  /// What the server does wrong, as the published ones do or might; it starts without any of it.
  public struct Bugs: Sendable, Hashable {
    /// A DELETE without a key deletes every task of the owner.
    public var deletesAllWithoutKey = false
    /// A DELETE by text deletes nothing and answers 204 all the same.
    public var deletesNothingByText = false
    /// Lists show the tasks of everybody.
    public var mixesOwners = false
    /// A list for a token without owner is never answered.
    public var neverAnswersWithoutOwner = false

    /// Makes a server without bugs.
    public init() {}
  }
}
