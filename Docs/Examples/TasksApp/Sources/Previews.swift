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

  struct SignedOutPreviews: PreviewProvider {
    static var previews: some View { RootView(model: makePreviewModel()) }
  }

  struct SignedInPreviews: PreviewProvider {
    static let model = makePreviewModel()

    static var previews: some View {
      RootView(model: model).task {
        await model.signIn()
        for title in ["Buy milk", "Water the plants"] {
          // Refused while the list is loading.
          while !Task.isCancelled, await !model.add(title) { await Task.yield() }
        }
      }
    }
  }
#endif
