@_exported public import B2CHTTP
