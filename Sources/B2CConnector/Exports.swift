@_exported public import B2CAuthority
@_exported public import B2CHTTP
@_exported public import B2COAuth
@_exported public import B2CPresenters
@_exported public import B2CSessions
@_exported public import B2CSettings
@_exported public import B2CTokenCache
@_exported public import TaskAPI
