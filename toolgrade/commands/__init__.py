"""The commands, one file each; what a command needs is imported when it runs."""
