"""`toolgrade completion`: the script that lets a shell complete commands, options, suites and tests."""

import click

# Like click's own for bash and fish, but a name may hold spaces, commas, quotes and stars.
_BASH = """\
_toolgrade_completion() {
    local line word="${COMP_WORDS[COMP_CWORD]}" value
    COMPREPLY=()
    while IFS= read -r line; do
        value="${line#*,}"
        case "${line%%,*}" in
            dir) compopt -o dirnames ;;
            file) compopt -o default ;;
            plain)
                case "$word" in [\\'\\"]*) ;; *) printf -v value %q "$value" ;; esac
                COMPREPLY+=("$value") ;;
        esac
    done < <(IFS=$'\\n'; env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" \\
        _TOOLGRADE_COMPLETE=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F _toolgrade_completion toolgrade
"""
_FISH = """\
function _toolgrade_completion
    for completion in (env _TOOLGRADE_COMPLETE=fish_complete COMP_WORDS=(commandline -cp) \\
            COMP_CWORD=(commandline -t) toolgrade 2>/dev/null)
        set -l parts (string split -m 1 "," -- $completion)
        switch $parts[1]
            case dir
                __fish_complete_directories $parts[2]
            case file
                __fish_complete_path $parts[2]
            case plain
                printf '%s\\n' $parts[2]
        end
    end
end
complete --no-files --command toolgrade --arguments "(_toolgrade_completion)"
"""


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that completes toolgrade in a shell.

    Commands, options, suites, and after -k, --test, --tag and --models what the
    suites on the command line hold.

    \b
    bash, in ~/.bashrc:   eval "$(toolgrade completion bash)"
    zsh, in ~/.zshrc:     eval "$(toolgrade completion zsh)"
    fish, once:           toolgrade completion fish \\
                            > ~/.config/fish/completions/toolgrade.fish
    """
    from click.shell_completion import ZshComplete

    if shell == "zsh":
        command = context.find_root().command
        click.echo(ZshComplete(command, {}, "toolgrade", "_TOOLGRADE_COMPLETE").source())
    else:
        click.echo({"bash": _BASH, "fish": _FISH}[shell], nl=False)
