# bash completion for scratchpad
_scratchpad() {
    local line last words=("${COMP_WORDS[@]:1:COMP_CWORD}")
    # A name may have spaces, typed with backslashes or after a quote.
    last=${COMP_WORDS[COMP_CWORD]}
    words=("${words[@]//\\ / }")
    (( ${#words[@]} )) && words[${#words[@]}-1]=${words[${#words[@]}-1]#[\"\']}
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
            line=${line%%$'\t'*}
            [[ $last == [\"\']* ]] || line=${line// /\\ }
            COMPREPLY+=("$line")
        fi
    done < <("$1" __complete -- "${words[@]}" 2>/dev/null </dev/null)
}
complete -F _scratchpad scratchpad
