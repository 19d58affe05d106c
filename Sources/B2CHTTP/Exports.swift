@_exported public import B2CCore
