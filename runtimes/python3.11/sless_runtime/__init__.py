"""The runtime's own modules. Loaded before the function's folder is on sys.path, so neither can shadow the other."""
