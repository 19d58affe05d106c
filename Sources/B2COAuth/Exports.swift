@_exported public import B2CAuthority
@_exported public import B2CHTTP
@_exported public import B2CPresenters
@_exported public import B2CSessions
@_exported public import B2CTokenCache
