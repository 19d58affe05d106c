@_exported public import B2CAuthority
