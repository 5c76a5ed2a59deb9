"""Pure compiling: YAML text in, a frozen plan or diagnostics out."""
