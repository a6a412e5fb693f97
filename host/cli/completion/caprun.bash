# shellcheck shell=bash
# caprun.bash - completion of caprun for bash.
#
# Names of capabilities, tools and runs come from `caprun complete-names`, which reads files and the
# cache; it never uses the network and starts no server. What it prints is compared and added, never evaluated. Files and directories
# are left to readline, which knows how to quote them.
#
# The functions share the variables of _caprun: |words|, |cword| and |cur|, as bash calls them too.

# Fills |words| and |cword| with the words as caprun will see them: bash also breaks them at = and :.
_caprun_words()
{
    local i piece glue=

    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        piece=${COMP_WORDS[i]}
        if ((i > 1)) && [[ $glue || $piece == [=:]* ]]; then
            words[-1]+=$piece
        else
            words+=("$piece")
        fi
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1))
        [[ $piece == *[=:] ]] && glue=yes || glue=
    done
}

# Adds those of the words |$@| that begin like the current one.
_caprun_offer()
{
    local word

    for word; do
        [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
    done
}

# Adds the names of |$1| (nothing: capabilities; tools; runs), with the registries and the config that
# are on the line.
_caprun_names()
{
    local i value name program=caprun options=()

    [[ ${words[0]} == */* ]] && program=${words[0]/#'~/'/"$HOME/"}
    for ((i = 1; i < ${#words[@]}; i++)); do
        # quotes are still there, and nothing is expanded yet
        value=${words[i]//[\'\"\\]/}
        if [[ ${words[i - 1]} == --@(registry|config) ]]; then
            options+=("${words[i - 1]}" "${value/#'~/'/"$HOME/"}")
        elif [[ $value == --@(registry|config)=* ]]; then
            options+=("$value")
        fi
    done
    while IFS= read -r name; do
        [[ $name == *[!A-Za-z0-9_.:/-]* ]] || _caprun_offer "$name"
    done < <("$program" complete-names ${1+"$1"} "${options[@]}" </dev/null 2>/dev/null)
}

# Adds tools. Readline completes only what follows the last colon, if colons break words.
_caprun_tools()
{
    local i

    compopt +o default
    _caprun_names tools
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace
    [[ $cur == *:* && $COMP_WORDBREAKS == *:* ]] || return 0
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]#"${cur%"${cur##*:}"}"}
    done
}

# Adds runs, the newest first.
_caprun_runs()
{
    compopt -o nosort 2>/dev/null
    _caprun_names runs
}

# Completes the value of the option |$1|.
_caprun_value()
{
    case $1 in
    --registry) compopt -o dirnames +o default ;;
    --config | --record | --code) ;;
    --speed)
        compopt +o default
        _caprun_offer real
        ;;
    --compare)
        compopt +o default
        _caprun_offer exact calls result
        ;;
    --color)
        compopt +o default
        _caprun_offer auto always never
        ;;
    --from)
        compopt +o default
        _caprun_offer claude cursor vscode
        ;;
    --accept)
        compopt +o default
        _caprun_names
        ;;
    --for)
        compopt +o default
        _caprun_offer exec
        _caprun_names
        ;;
    *) compopt +o default ;;
    esac
}

# Completes the word that comes after the words |$@|, options not counted.
_caprun_word()
{
    local word

    case $#:${1-} in
    0:)
        compopt +o default
        _caprun_offer run exec replay resume approve deny runs list info tools types call policy audit lock init config trust doctor bench help
        _caprun_names
        ;;
    1:run | 1:info)
        compopt +o default
        _caprun_names
        ;;
    1:call | *:tools) _caprun_tools ;;
    1:resume | 1:approve | 1:deny | *:runs) _caprun_runs ;;
    1:policy)
        compopt +o default
        _caprun_offer explain test withdraw
        ;;
    [23]:policy)
        if [[ $#:$2 == 2:explain ]]; then
            _caprun_tools
        elif [[ $#:$2 != 2:test && $#:$2 != 3:explain ]]; then
            compopt +o default
        fi
        ;;
    *:replay)
        compopt -o filenames
        _caprun_runs
        while IFS= read -r word; do
            COMPREPLY+=("$word")
        done < <(compgen -f -- "$cur")
        ;;
    1:help)
        compopt +o default
        _caprun_offer run exec replay resume approve deny runs list info tools types call policy audit lock init config trust doctor bench help
        ;;
    *:bench)
        compopt +o default
        _caprun_offer fresh busy rate call answer1m answer10m memory cpu
        ;;
    1:exec | 1:audit | 2:exec | 2:run | 2:call | 1:*.*) ;; # a file
    *) compopt +o default ;;
    esac
}

_caprun()
{
    local words=() cword=0 cur i plain=()
    local valued='--@(registry|config|timeout|cpu|rpc-timeout|memory|allow|ask|deny|accept|record|code|speed|compare|env|retry-call|call|older|rounds|color|from|for|run|tool|decision|since)'
    local options=(--registry --config --json --color --timeout --cpu --rpc-timeout --memory --allow --allow-declared
        --ask --deny --dev --record --no-input --frozen -q --quiet -v --verbose -h --help --version)

    COMPREPLY=()
    _caprun_words
    cur=${words[cword]}
    for ((i = 1; i < cword; i++)); do
        # shellcheck disable=SC2053 # it is a pattern
        if [[ ${words[i]} == $valued ]]; then
            ((++i))
        elif [[ ${words[i]} != -?* ]]; then
            plain+=("${words[i]}")
        fi
    done

    if ((i > cword)); then
        _caprun_value "${words[cword - 1]}"
    elif [[ $cur == --*=* ]]; then
        cur=${cur#*=}
        _caprun_value "${words[cword]%%=*}"
    elif [[ $cur == -* ]]; then
        case ${plain[0]-} in
        lock) options+=(--accept) ;;
        policy) options+=(--for) ;;
        replay) options+=(--code --speed --compare --env) ;;
        resume) options+=(--retry-unknown --retry-call --fail-unknown) ;;
        approve) options+=(--call --run --yes --retry-unknown --retry-call --fail-unknown) ;;
        deny) options+=(--call --run --retry-unknown --retry-call --fail-unknown) ;;
        runs) options+=(--waiting --rm --older --all) ;;
        audit) options+=(--verify --follow --run --tool --decision --since) ;;
        doctor) options+=(--strict) ;;
        init) options+=(--from) ;;
        trust) options+=(--list --withdraw) ;;
        bench) options+=(--rounds) ;;
        esac
        _caprun_offer "${options[@]}"
    else
        _caprun_word "${plain[@]}"
    fi
}

complete -o default -F _caprun caprun
