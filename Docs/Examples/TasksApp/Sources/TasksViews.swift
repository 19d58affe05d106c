import B2CConnector
import SwiftUI

struct RootView: View {
  @Bindable var model: TasksModel
  @Environment(\.scenePhase) private var scenePhase

  var body: some View {
    // The stack stays while its content changes. The modifiers of a `Group` go to its members, so `task` would start again.
    NavigationStack {
      if let code = model.deviceCode {
        DeviceCodeView(code: code) { model.cancelSignIn() }
      } else {
        switch model.phase {
        case .launching: ProgressView()
        case .signedOut(let name): SignInView(model: model, lastUser: name)
        case .signedIn(let id, let name): TaskListView(model: model, userName: name).id(id)
        case .unusable(let text): UnusableView(text: text)
        }
      }
    }
    .task { await model.run() }
    // The token cache cannot be read before the device was unlocked for the first time.
    .onChange(of: scenePhase) { _, new in
      if new == .active { Task { await model.restore() } }
    }
    .alert(Text(LocalizedStringKey(model.messageTitle)), isPresented: $model.isShowingMessage) {
      if model.needsSignIn {
        Button("Sign in") { Task { await model.signIn() } }
      }
      Button("OK", role: .cancel) {}
    } message: {
      let message = model.message ?? ""
      model.isVerbatim ? Text(verbatim: message) : Text(LocalizedStringKey(message))
    }
  }
}

struct SignInView: View {
  let model: TasksModel
  let lastUser: String?

  var body: some View {
    // The content is in the middle, and scrolls if the largest text sizes need more than a screen.
    ViewThatFits(in: .vertical) {
      content
      ScrollView { content }
    }
  }

  private var content: some View {
    VStack(spacing: 16) {
      Label("Tasks", systemImage: "checklist").font(.largeTitle)
      Text("Your to-do list, the same on all your devices.")
      if let lastUser { Text("Welcome back, \(lastUser).") }
      Group {
        Button("Sign in") { Task { await model.signIn() } }
          .buttonStyle(.borderedProminent)
        ForEach(model.otherUsers) { user in
          Button("Continue as \(user.shownName)") { Task { await model.select(user) } }
        }
        if lastUser != nil, model.canAddAccount {
          Button("Use another account") { Task { await model.addAccount() } }
        }
        if model.canSignUp {
          Button("Create an account") { Task { await model.signUp() } }
        }
      }
      .disabled(model.isBusy)
      if model.isBusy { ProgressView() }
      // The system does not report the end of every page, so the user can end the wait.
      if model.isWaitingForUser {
        Button("Cancel") { model.cancelSignIn() }
      }
    }
    .multilineTextAlignment(.center)
    .padding()
    .frame(maxWidth: .infinity)
  }
}

/// What to do on another device, because this one cannot show a sign-in page.
struct DeviceCodeView: View {
  let code: DeviceAuthorization
  let cancel: () -> Void

  var body: some View {
    ScrollView {
      VStack(spacing: 16) {
        Text("On another device, open \(code.verificationURL.absoluteString) and type this code.")
        // VoiceOver reads the code letter by letter.
        Text(verbatim: code.userCode).font(.title).speechSpellsOutCharacters()
        Button("Cancel") { cancel() }
      }
      .padding()
    }
  }
}

/// Settings that cannot be used.
///
/// You read the reason in a debug build, and users read whom to ask.
struct UnusableView: View {
  let text: String

  var body: some View {
    ScrollView {
      if isDebugBuild {
        Text(verbatim: text).font(.footnote).padding()
      } else {
        Text("This app is not set up correctly. Please contact its developer.").padding()
      }
    }
  }
}
