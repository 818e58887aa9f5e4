# Stands for Environment Modules' function: reads what the modulefile of the last version sets.
module() {
    case $1 in
        use) MODULEPATH=$2 ;;
        load)
            local file prefix command variable value
            file=$(find "$MODULEPATH/$2" -type f | sort -V | tail -n 1)
            [[ -n $file ]] || return 1
            prefix=$(sed -n 's/^set prefix //p' "$file")
            while read -r command variable value; do
                [[ $command == prepend-path ]] || continue
                value=${value/\$prefix/$prefix}
                export "$variable=$value${!variable:+:${!variable}}"
            done < "$file"
            ;;
        *) return 2 ;;
    esac
}
