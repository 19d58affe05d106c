import B2CConnector

/// The text for a user; `nil` when there is nothing to say.
func text(for error: ConnectorError) -> String? {
  switch error.code {
  // First, whatever the code: to "try again" could add a task twice.
  case _ where error.outcomeIsUnknown: "It may have been saved. Look at the list before you repeat it."
  case _ where error.needsInteraction: "Please sign in again."  // with a button, not by opening a page
  case .userClosedBrowser, .userCancelledInPage, .userCancelled: nil  // the user's own choice
  case .accessDenied: error.serverDescription ?? "The service does not let you in."  // written for the user
  case .passwordResetRequested: "The password cannot be reset in this app."
  case .wrongUser: "You signed in with a different account. Please use the right one."
  case .notFound: "It is not there any more."  // reload the list first
  case .network, .timedOut: "No connection, or it took too long. Try again."
  case .suspended: "The app was closed before it had finished. Try again."
  case .serviceUnavailable, .throttled: "The service is busy. Try again in a minute."
  case .tokenCache: "Your sign-in could not be read or saved. Try again."  // no user is signed out by it
  default: "That did not work."
  }
}
