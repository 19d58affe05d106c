import B2CConnector
import SwiftUI

struct TaskListView: View {
  let model: TasksModel
  let userName: String
  @State private var title = ""
  @State private var asksToSignOut = false
  @FocusState private var isTyping: Bool

  var body: some View {
    list.navigationTitle("Tasks")
      .refreshable { await model.reload() }
      .toolbar {
        if model.needsSignIn {
          Button("Sign in") { Task { await model.signIn() } }
            .disabled(model.isBusy)
        }
        if model.isWaitingForUser {
          Button("Cancel") { model.cancelSignIn() }
        }
        user
      }
      .confirmationDialog("Sign out \(userName)?", isPresented: $asksToSignOut, titleVisibility: .visible) {
        Button("Sign out", role: .destructive) { Task { await model.signOut() } }
      } message: {
        Text("Your tasks stay on the server.")
      }
  }

  #if os(macOS)
    @State private var selection: TaskItem.ID?

    // The Delete key and the Edit menu act on the selected row.
    private var list: some View {
      List(selection: $selection) { sections }
        .onDeleteCommand {
          if let task = model.tasks.first(where: { $0.id == selection }) { delete(task) }
        }
    }
  #else
    private var list: some View { List { sections } }
  #endif

  @ViewBuilder private var sections: some View {
    Section {
      HStack {
        TextField("New task", text: $title).focused($isTyping).onSubmit(add)
        Button("Add", action: add).disabled(title.allSatisfy(\.isWhitespace) || !model.hasLoaded || model.isBusy)
      }
    }
    Section {
      if model.hasLoaded, !model.tasks.isEmpty {
        ForEach(model.tasks) { task in
          TaskRow(task: task, isBusy: model.busyTask == task.id) { Task { await model.toggle(task) } }
            #if !os(watchOS)
              .contextMenu { Button("Delete", role: .destructive) { delete(task) } }
            #endif
        }
        .onDelete { rows in
          if let row = rows.first { delete(model.tasks[row]) }
        }
      } else {
        placeholder
      }
    } footer: {
      Text("Signed in as \(userName)")
    }
  }

  /// Tells an empty list from one that was not loaded, because both have no rows.
  @ViewBuilder private var placeholder: some View {
    if model.hasLoaded {
      ContentUnavailableView("No tasks", systemImage: "checklist", description: Text("Add your first task above."))
    } else if model.isBusy {
      ProgressView("Loading tasks")
    } else {
      ContentUnavailableView {
        Label("No list yet", systemImage: "wifi.exclamationmark")
      } actions: {
        Button("Try again") { Task { await model.reload() } }
      }
    }
  }

  #if os(watchOS)
    // There is no menu on watchOS, and no page for a profile or another account.
    private var user: some View {
      Button("Sign out") { asksToSignOut = true }
        .disabled(model.isBusy)
    }
  #else
    private var user: some View {
      Menu {
        if model.canEditProfile {
          Button("Edit profile") { Task { await model.editProfile() } }
        }
        ForEach(model.otherUsers) { user in
          Button("Continue as \(user.shownName)") { Task { await model.select(user) } }
        }
        if model.canAddAccount {
          Button("Add an account") { Task { await model.addAccount() } }
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
    // The text stays in the field until the task is added.
    Task {
      guard await model.add(new) else { return }
      if title == new { title = "" }
      isTyping = true
    }
  }

  private func delete(_ task: TaskItem) {
    Task { await model.delete(task) }
  }
}

struct TaskRow: View {
  let task: TaskItem
  let isBusy: Bool
  let toggle: () -> Void

  var body: some View {
    Button {
      toggle()
    } label: {
      Label {
        Text(verbatim: task.itemName)
          .strikethrough(task.completed)
          .foregroundStyle(task.completed ? .secondary : .primary)
      } icon: {
        if isBusy {
          ProgressView().controlSize(.small)
        } else {
          Image(systemName: task.completed ? "checkmark.circle.fill" : "circle").foregroundStyle(.tint)
        }
      }
    }
    .buttonStyle(.plain)
    // VoiceOver reads this instead of the picture.
    .accessibilityValue(task.completed ? Text("completed") : Text("to do"))
    .accessibilityHint(Text("Changes whether it is completed"))
  }
}
