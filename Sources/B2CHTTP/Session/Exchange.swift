internal import Foundation

/// One request under way, as the session's delegate sees it.
protocol Exchange: AnyObject, Sendable {
  /// Takes the means to end the transfer; `false` when the exchange has ended already and nothing is to be sent.
  func attach(_ link: ExchangeLink) -> Bool

  func receive(_ head: ResponseHead)
  func receive(_ bytes: Data)

  /// Takes the end of the transfer, with the head when it was not given before.
  func complete(_ head: ResponseHead?, _ error: TransportError?)

  /// Ends the exchange from this side, at once; what the session still says is not heard.
  func fail(_ error: any Error)
}
