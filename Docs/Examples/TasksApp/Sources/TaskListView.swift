import B2CConnector
import SwiftUI

struct TaskListView: View {
  let model: TasksModel
  let userName: String
  @State private var title = ""
  @State private var asksToSignOut = false

  var body: some View {
    List {
      Section {
        HStack {
          TextField("New task", text: $title).onSubmit(add)
          Button("Add", action: add).disabled(title.allSatisfy(\.isWhitespace) || model.isBusy)
        }
      }
      Section {
        ForEach(model.tasks) { task in
          TaskRow(task: task) { Task { await model.toggle(task) } }
            .disabled(model.isBusy)
        }
        .onDelete { rows in
          let deleted = rows.map { model.tasks[$0] }
          Task { await model.delete(deleted) }
        }
        if model.tasks.isEmpty { placeholder }
      } footer: {
        Text("Signed in as \(userName)")
      }
    }
    .navigationTitle("Tasks")
    .refreshable { await model.reload() }
    .toolbar {
      if model.needsSignIn {
        Button("Sign in") {
          Task { await model.signIn() }
        }
        .disabled(model.isBusy)
      }
      user
    }
    .confirmationDialog("Sign out?", isPresented: $asksToSignOut, titleVisibility: .visible) {
      Button("Sign out", role: .destructive) {
        Task { await model.signOut() }
      }
    } message: {
      Text("Your tasks stay on the server.")
    }
  }

  /// An empty list and one that has not come yet would look the same.
  @ViewBuilder private var placeholder: some View {
    if model.hasLoaded {
      ContentUnavailableView("No tasks", systemImage: "checklist", description: Text("Add the first one above."))
    } else if model.isBusy {
      ProgressView("Loading tasks")
    } else {
      ContentUnavailableView {
        Label("No list yet", systemImage: "wifi.exclamationmark")
      } actions: {
        Button("Try again") {
          Task { await model.reload() }
        }
      }
    }
  }

  #if os(watchOS)
    // It has neither a menu nor a page.
    private var user: some View {
      Button("Sign out") { asksToSignOut = true }
        .disabled(model.isBusy)
    }
  #else
    private var user: some View {
      Menu {
        if model.canEditProfile {
          Button("Edit profile") {
            Task { await model.editProfile() }
          }
        }
        if model.canSwitchAccount {
          Button("Use another account") {
            Task { await model.switchAccount() }
          }
        }
        Button("Sign out", role: .destructive) { asksToSignOut = true }
      } label: {
        Label("Account", systemImage: "person.crop.circle")
      }
      .disabled(model.isBusy)
    }
  #endif

  private func add() {
    let new = title
    // What was typed stays until the task is added.
    Task {
      if await model.add(new), title == new { title = "" }
    }
  }
}

struct TaskRow: View {
  let task: TaskItem
  let toggle: () -> Void

  var body: some View {
    Button {
      toggle()
    } label: {
      Label {
        Text(verbatim: task.itemName)
      } icon: {
        Image(systemName: task.completed ? "checkmark.circle.fill" : "circle")
      }
    }
    // The picture says it to those who see it.
    .accessibilityValue(task.completed ? Text("completed") : Text("to do"))
    .accessibilityHint(Text("Changes whether it is completed"))
  }
}
