# fish completion for scratchpad
function __scratchpad_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l typed (string unescape -- "$current"; or echo "$current")
    for line in ($words[1] __complete -- $words[2..] "$typed" 2>/dev/null </dev/null)
        if test "$line" = :files
            __fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current")
        else
            printf '%s\n' $line
        end
    end
end
complete -c scratchpad -f -a '(__scratchpad_complete)'
