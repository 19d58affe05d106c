/// How a task is named to the server that shall delete it.
///
/// The known task servers delete *by text*: every task of that text goes, and a request in which they find no text may
/// delete all tasks of the user. So each form carries the text, under the names of both dialects, even where the id is
/// what counts.
public enum TaskDeletion: Sendable, Hashable, CaseIterable {
  /// ``byID`` for a task that has an id, ``body`` for one that has none.
  case automatic
  /// `DELETE base/{id}?_id=…&task=…`: the id names the task, and the text keeps a server that knows no ids safe.
  ///
  /// A text too long for a URL goes into a JSON body.
  case byID
  /// `DELETE base` with a JSON body, as the tutorial's app does. Some proxies drop the body of a `DELETE`.
  case body
  /// `DELETE base?task=…`, for networks that drop the body of a `DELETE`.
  case query
  /// `DELETE base/{owner}/{text}?task=…`, for servers that route by path.
  case path
}
