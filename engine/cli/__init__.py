"""The `tinyloop` command, one file a subcommand."""
