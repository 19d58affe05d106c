import B2CTestKit

/// What a world is made of.
struct Shape: Sendable {
  var cache = CacheKind.fourMethod
  var processes = 1
  /// Connectors in each process.
  var connectors = 1
  var people = 2
  var provider = LocalTenant.Shape.b2c
  var rotates = true
  var reuse = LocalTenant.Behavior.RefreshTokenReuse.revokesGrant
  /// Seconds that an access token lives.
  var accessLife = 3600
  /// Hours that a refresh token lives.
  var refreshLife = 24 * 14
  /// Whether the settings require the first person, by address, and the id_token of a refresh has none.
  var requiresFirst = false
  /// Whether a person is asked before each refresh.
  var asks = false
  /// Whether the last connector of each process must not refresh.
  var hasReader = false
  /// Whether a connector of another authority or client is over the cache of each process.
  var hasNeighbour = false
  /// How far the device's clock is off, in seconds.
  var clockSkew = 0
  /// The longest time that an access to the database takes, in microseconds.
  var slowness = 0
  /// The longest way of a request, in milliseconds.
  var distance = 50
}

extension Shape {
  /// Draws a shape.
  init(_ draw: inout Draw) {
    self.init()
    cache = draw.one(of: CacheKind.allCases)
    processes = cache.isShared ? draw.one(of: [1, 1, 2, 2, 3, 4]) : 1
    connectors = draw.one(of: [1, 1, 2, 2, 3])
    people = draw.number(1...3)
    provider = draw.happens(650) ? .b2c : draw.one(of: [.entra, .ciam, .openIDConnect, .openIDConnect])
    rotates = draw.happens(850)
    reuse = draw.one(of: [.revokesGrant, .revokesGrant, .revokesGrant, .refused, .allowed])
    accessLife = draw.one(of: [3600, 3600, 600])
    refreshLife = draw.one(of: [24 * 14, 24 * 14, 24])
    clockSkew = draw.one(of: [0, 0, 0, 120, -120, 3600, -3600])
    slowness = draw.one(of: [0, 0, 2000, 20_000])
    distance = draw.one(of: [0, 20, 200, 2000])
    requiresFirst = draw.happens(80)
    asks = draw.happens(150)
    hasReader = connectors > 1 && draw.happens(250)
    hasNeighbour = draw.happens(200)
  }

  var summary: String {
    "\(cache.rawValue), \(processes) x \(connectors) connectors, \(people) people, "
      + "\(provider)\(rotates ? "" : ", no rotation"), access \(accessLife) s"
      + (requiresFirst ? ", alice required" : "") + (asks ? ", asks" : "") + (hasReader ? ", a reader" : "")
      + (hasNeighbour ? ", a neighbour" : "") + (clockSkew == 0 ? "" : ", clock \(clockSkew) s off")
  }
}
