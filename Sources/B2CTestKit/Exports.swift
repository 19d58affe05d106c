@_exported public import B2CHTTP
@_exported public import B2COAuth
@_exported public import TaskAPI
