# bash completion for scratchpad
_scratchpad() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            local word=${COMP_WORDS[COMP_CWORD]}
            [[ $word == = ]] && word=
            compopt -o filenames 2>/dev/null
            while IFS= read -r line; do
                COMPREPLY+=("$line")
            done < <(compgen -f -- "$word")
        else
            COMPREPLY+=("${line%%$'\t'*}")
        fi
    done < <("$1" __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -F _scratchpad scratchpad
