import B2CConnector
import B2CTestKit
import SwiftUI

// Previews against a local tenant and task server: no network, no browser, no keychain. Add this file, and the product
// B2CTestKit, to a target that is not shipped.

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
      await model.add("Buy milk")
      await model.add("Water the plants")
    }
  }
}
