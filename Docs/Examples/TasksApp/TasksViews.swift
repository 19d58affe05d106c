import B2CConnector
import SwiftUI

struct RootView: View {
  @Bindable var model: TasksModel
  @Environment(\.scenePhase) private var scenePhase

  var body: some View {
    Group {
      switch model.phase {
      case .launching: ProgressView()
      case .signedOut(let name): SignInView(model: model, lastUser: name)
      case .signedIn(let id, let name): TaskListView(model: model, userName: name).id(id)
      case .unusable(let text): Text(text).font(.footnote).padding()
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

struct TaskListView: View {
  let model: TasksModel
  let userName: String
  @State private var title = ""

  var body: some View {
    NavigationStack {
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
  }

  private func add() {
    let new = title
    title = ""
    Task { await model.add(new) }
  }
}
