"""The wall around a child: each layer a file of its own, put together by `stack`. Imports neither torch nor anything of the kit."""
