# Completions of dbdyno for bash: source <(dbdyno completions bash)
_dbdyno() {
    local rest=${COMP_LINE:0:COMP_POINT} words=() program=dbdyno cut='' blank word i
    # Bash takes words apart at ':' and '='; what stands without a blank between is one word. Bash then puts what is found in
    # place of the last piece alone: the pieces before are cut off.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        blank=${rest%%[![:space:]]*}
        rest=${rest#"$blank"}
        word=${COMP_WORDS[i]}
        ((i < COMP_CWORD)) || word=$rest
        rest=${rest#"$word"}
        if [[ $i == 0 || -n $blank ]]; then
            cut='' words+=("$word")
        else
            cut=${words[${#words[@]} - 1]} words[${#words[@]} - 1]+=$word
        fi
    done
    [[ $word != [:=] ]] || cut+=$word
    [[ $1 != */* ]] || program=${1/#\~\//$HOME/}
    # Within quotes bash takes a word as it is: only plain words are offered there, with blanks where the quote is open.
    local typed=${words[${#words[@]} - 1]} plain='a-zA-Z0-9_@%+=:,./-'
    [[ $typed != [\"\']* || ${typed:1} == *[\"\'\\]* ]] || plain=" $plain"
    COMPREPLY=()
    while IFS= read -r word; do
        word=${word%%$'\t'*}
        if [[ $word == *[!$plain]* ]]; then
            [[ $typed != *[\"\']* ]] || continue
            printf -v word %q "$word"
        fi
        COMPREPLY+=("${word#"$cut"}")
    done < <("$program" complete -- "${words[@]}" 2>/dev/null)
    # More of the word is to come.
    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *[/:=] ]] || compopt -o nospace 2>/dev/null
}
complete -o nosort -F _dbdyno dbdyno
