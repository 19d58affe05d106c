import B2CConnector
import SwiftUI

/// The app.
///
/// All windows share one model, and with it one connector and one presenter.
@main
struct TasksApp: App {
  // This app's server changes and deletes tasks by their id. Leave the closure out for the tutorial's server.
  @State private var model = TasksModel {
    try Connector(settings: .main, environment: Connector.Environment()) { $0.taskDialect = .rest }
  }

  var body: some Scene {
    WindowGroup { RootView(model: model) }
  }
}
