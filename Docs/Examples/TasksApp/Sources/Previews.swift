#if DEBUG
  import B2CConnector
  import B2CTestKit
  import SwiftUI

  // Previews against a local tenant and task server: no network, no browser, no keychain.

  @MainActor
  private func makePreviewModel() -> TasksModel {
    let tenant = LocalTenant()
    let server = LocalTaskServer(tenant: tenant, dialect: .rest)
    return TasksModel { try Connector.local(tenant, server) }
  }

  /// The app after a sign-in, with these tasks.
  private struct SignedInPreview: View {
    let titles: [String]
    @State private var model = makePreviewModel()

    var body: some View {
      RootView(model: model).task {
        await model.signIn()
        for title in titles {
          // Refused while the list is loading.
          while !Task.isCancelled, await !model.add(title) { await Task.yield() }
        }
      }
    }
  }

  #Preview("Signed out") {
    RootView(model: makePreviewModel())
  }

  #Preview("Two tasks") {
    SignedInPreview(titles: ["Buy milk", "Water the plants"])
  }

  #Preview("No tasks") {
    SignedInPreview(titles: [])
  }

  #Preview("Largest text") {
    SignedInPreview(titles: ["Buy milk", "Water the plants on the balcony"])
      .dynamicTypeSize(.accessibility5)
  }

  #Preview("Settings that cannot be used") {
    UnusableView(text: "clientId is missing.")
  }
#endif
