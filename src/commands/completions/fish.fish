# Completions of dbdyno for fish: dbdyno completions fish | source
function __dbdyno_complete
    set -l words (commandline --current-process --tokenize --cut-at-cursor)
    set -l current (commandline --current-token --cut-at-cursor)
    $words[1] complete -- $words "$current" 2>/dev/null
end
complete --command dbdyno --no-files --keep-order --arguments '(__dbdyno_complete)'
