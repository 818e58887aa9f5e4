#compdef tuttirun tutti-info
# zsh: options as --help lists them, then programs and files.
_gnu_generic
