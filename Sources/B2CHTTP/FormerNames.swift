/// The former name of the header fields.
package typealias HTTPHeaders = TransportRequest.Headers
/// The former name of a request method.
package typealias HTTPMethod = TransportRequest.Method
