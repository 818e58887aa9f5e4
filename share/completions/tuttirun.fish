# fish: options as --help lists them; then programs and files.
function __tuttirun_options
    tuttirun --help 2>/dev/null | string match -rg '^  (-[^ ].*)' | string match -ra -- '--?[A-Za-z][A-Za-z0-9-]*(?=[ ,\[=]|$)' | sort -u
end
complete -c tuttirun -n 'string match -q -- "-*" (commandline -ct)' -a '(__tuttirun_options)'
complete -c tuttirun -l bind-to -x -a 'none core socket numa hwthread'
complete -c tuttirun -l mpi -x -a 'auto own preload'
