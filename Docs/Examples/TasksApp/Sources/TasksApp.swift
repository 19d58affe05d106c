import B2CConnector
import SwiftUI

/// The app: one connector for all windows, in one model.
@main
struct TasksApp: App {
  // The task server of this app changes tasks by their id; leave the closure out for the tutorial's.
  @State private var model = TasksModel {
    try Connector(settings: .main, environment: Connector.Environment()) { $0.taskDialect = .rest }
  }

  var body: some Scene {
    WindowGroup { RootView(model: model) }
  }
}
