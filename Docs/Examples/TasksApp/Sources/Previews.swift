#if DEBUG
  import B2CConnector
  import B2CTestKit
  import SwiftUI

  // These previews use a local tenant and task server, so they need no network, browser or keychain.

  /// Makes a model with these tasks on the server.
  ///
  /// The last one is done.
  @MainActor
  private func makePreviewModel(_ titles: String...) -> TasksModel {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    server.tasks = titles.map {
      LocalTask(owner: LocalUser.alice.id, text: $0, completed: $0 == titles.last, date: Date())
    }
    return TasksModel { try Connector.local(tenant, server) }
  }

  private struct SignedInPreview: View {
    let model: TasksModel

    var body: some View {
      RootView(model: model).task { await model.signIn() }
    }
  }

  #Preview("Signed out") {
    RootView(model: makePreviewModel())
  }

  #Preview("Two tasks") {
    SignedInPreview(model: makePreviewModel("Buy milk", "Water the plants"))
  }

  #Preview("No tasks") {
    SignedInPreview(model: makePreviewModel())
  }

  #Preview("Largest text") {
    SignedInPreview(model: makePreviewModel("Buy milk", "Water the plants on the balcony"))
      .dynamicTypeSize(.accessibility5)
  }

  #Preview("Settings that cannot be used") {
    UnusableView(text: "clientId is missing.")
  }
#endif
