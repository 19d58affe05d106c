import B2CConnector
import SwiftUI

struct RootView: View {
  @Bindable var model: TasksModel
  @Environment(\.scenePhase) private var scenePhase

  var body: some View {
    // It stays while its content changes. Modifiers of a `Group` go to its members, and `task` would start again.
    NavigationStack {
      if let code = model.deviceCode {
        DeviceCodeView(code: code) { model.cancelSignIn() }
      } else {
        switch model.phase {
        case .launching: ProgressView()
        case .signedOut(let name): SignInView(model: model, lastUser: name)
        case .signedIn(let id, let name): TaskListView(model: model, userName: name).id(id)
        case .unusable(let text): Text(text).font(.footnote).padding()
        }
      }
    }
    .task { await model.run() }
    // The token cache may have been unreadable until now, such as before the device was unlocked for the first time.
    .onChange(of: scenePhase) { _, new in
      if new == .active { Task { await model.restore() } }
    }
    .alert("Tasks", isPresented: $model.isShowingMessage) {
      if model.needsSignIn {
        Button("Sign in") {
          Task { await model.signIn() }
        }
      }
      Button("OK", role: .cancel) {}
    } message: {
      Text(model.message ?? "")
    }
  }
}

struct SignInView: View {
  let model: TasksModel
  let lastUser: String?

  var body: some View {
    VStack(spacing: 16) {
      if let lastUser { Text("Welcome back, \(lastUser).") }
      Button("Sign in") {
        Task { await model.signIn() }
      }
      .disabled(model.isBusy)
    }
  }
}

/// What to do on another device, where this one has no sign-in page.
struct DeviceCodeView: View {
  let code: DeviceAuthorization
  let cancel: () -> Void

  var body: some View {
    VStack(spacing: 16) {
      Text("On another device, open \(code.verificationURL.absoluteString) and type this code.")
      Text(code.userCode).font(.title)
      Button("Cancel") { cancel() }
    }
  }
}

struct TaskListView: View {
  let model: TasksModel
  let userName: String
  @State private var title = ""

  var body: some View {
    List {
      Section {
        HStack {
          TextField("New task", text: $title).onSubmit(add)
          Button("Add", action: add).disabled(title.isEmpty || model.isBusy)
        }
      }
      Section {
        ForEach(model.tasks) { task in
          Button {
            Task { await model.toggle(task) }
          } label: {
            Label(task.itemName, systemImage: task.completed ? "checkmark.circle.fill" : "circle")
          }
          .disabled(model.isBusy)
        }
        .onDelete { rows in
          let deleted = rows.map { model.tasks[$0] }
          Task { await model.delete(deleted) }
        }
      }
    }
    .navigationTitle("Tasks of \(userName)")
    .refreshable { await model.reload() }
    .toolbar {
      if model.needsSignIn {
        Button("Sign in") {
          Task { await model.signIn() }
        }
        .disabled(model.isBusy)
      }
      Button("Sign out") {
        Task { await model.signOut() }
      }
      .disabled(model.isBusy)
    }
  }

  private func add() {
    let new = title
    // What was typed stays until the task is added.
    Task {
      if await model.add(new), title == new { title = "" }
    }
  }
}
