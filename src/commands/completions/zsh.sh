#compdef dbdyno
# Completions of dbdyno for zsh: source <(dbdyno completions zsh), or as the file _dbdyno in a folder of $fpath
_dbdyno() {
    local program=dbdyno line value
    local -a whole begun
    [[ $words[1] == */* ]] && program=${~words[1]}
    for line in "${(@f)$("$program" complete -- "${(@Q)words[1,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        [[ -n $line ]] || continue
        value=${line%%$'\t'*}
        line=${${value//\\/\\\\}//:/\\:}${${line#$value}/$'\t'/:}
        # More of the word is to come where it ends like this.
        if [[ $value == *[/:=] ]]; then begun+=("$line"); else whole+=("$line"); fi
    done
    (( $#begun )) && _describe -V dbdyno begun -S ''
    (( $#whole )) && _describe -V dbdyno whole
}
if [[ $funcstack[1] == _dbdyno ]]; then _dbdyno "$@"; else compdef _dbdyno dbdyno; fi
