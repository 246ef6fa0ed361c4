#compdef scratchpad
_scratchpad() {
    local line word help tab=$'\t'
    local -a candidates
    for line in "${(@f)$("${words[1]}" __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
        if [[ $line == :files ]]; then
            [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='
            _files
        elif [[ -n $line ]]; then
            word=${${line%%$tab*}//:/\\:}
            help=${line#*$tab}
            [[ $line == *$tab* ]] && candidates+=("$word:$help") || candidates+=("$word")
        fi
    done
    if (( $#candidates )); then
        _describe -V scratchpad candidates
    fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _scratchpad "$@"
else
    compdef _scratchpad scratchpad
fi
