# fetching.sh - the shared functions of get-engine and get-cjson: they get a source folder from Debian
# or from a folder that the user names. A script that sources this file first sets
#
#   files     the required files of such a folder, separated by spaces
#   variable  the environment variable with which the user names a folder
#   hint      the last line of errors
#
# then calls begin OUTDIR, and if that returns, link or finish.
#
# OUTDIR appears complete, by a rename, or not at all. OUTDIR/.version has the version and is written
# whenever that changes: objects depend on it. A user's folder is linked file by file, so that the build
# sees changes there.
# shellcheck shell=sh

: "${files:?}" "${variable:?}" "${hint:?}"

default_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

die()
{
    printf "${0##*/}: %s\n" "$@" >&2
    exit 1
}

has_files()
{
    for file in $files; do
        [ -f "$1/$file" ] || return 1
    done
}

# Is OUTDIR already the requested source?
is_ready()
{
    [ -f "$out/.version" ] && has_files "$out" || return 1
    if [ -z "$src" ]; then
        [ ! -h "$out/${files%% *}" ]
    else
        [ "$(readlink "$out/${files%% *}")" = "$src/${files%% *}" ] &&
            [ "$(cat "$out/.version")" = "$version" ] &&
            [ "$(ls "$src")" = "$(ls "$out")" ]
    fi
}

# Sets |src| to the user's folder $1, unless $1 is empty.
use_folder()
{
    src=
    [ -n "$1" ] || return 0
    has_files "$1" || die "$variable: '$1' has no $(echo "$files" | sed 's/ / and /')"
    src=$(cd "$1" && pwd -P)
    version=local
}

# Exits if OUTDIR is ready. Otherwise takes the lock and makes the folder |$tmp|; because of the lock
# its fixed name is safe.
begin()
{
    mkdir -p "$(dirname "$1")"
    parent=$(cd "$(dirname "$1")" && pwd -P)
    out=$parent/$(basename "$1")
    case ${src:+$src/} in
    "$out"/*) die "$variable: '$src' is where the source would be put" ;;
    esac
    ! is_ready || exit 0
    exec 9<"$parent"
    flock 9 || die "cannot lock '$parent'"
    ! is_ready || exit 0
    if [ -e "$out" ] && [ ! -f "$out/.version" ]; then
        rmdir "$out" 2>/dev/null ||
            die "'$out' is in the way and not made by this script; remove it"
    fi
    tmp=$out.tmp
    trap 'rm -rf "$tmp"' EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    rm -rf "$tmp"
    mkdir "$tmp"
}

# Replaces OUTDIR with the tree |$1|.
finish()
{
    has_files "$1" || die "what was fetched has no $(echo "$files" | sed 's/ / and /')"
    printf '%s\n' "$version" >"$1/.version"
    [ ! -e "$out" ] || mv "$out" "$tmp/old"
    mv "$1" "$out"
}

link()
{
    mkdir "$tmp/new"
    ln -s "$src"/* "$tmp/new/"
    finish "$tmp/new"
}

# --- apt -----------------------------------------------------------------------------------------

# apt-get with the private state; its output goes to the log.
apt()
{
    apt-get -q -c "$tmp/apt.conf" "$@" </dev/null >>"$tmp/log" 2>&1
}

# Like die(), but prints apt's own errors first.
die_of_apt()
{
    grep '^[EW]:' "$tmp/log" >&2 || :
    die "$@"
}

# Writes the private apt configuration; later calls use only the sources in $tmp/sources.list. It is
# read after the machine's configuration: that can set proxies, but cannot weaken the signature checks
# or run hooks.
configure_apt()
{
    for tool in apt-get dpkg "$@"; do
        command -v "$tool" >/dev/null ||
            die "no $tool here, so nothing can be had from Debian." "$hint"
    done
    mkdir -p "$tmp/state/lists/partial" "$tmp/cache/archives/partial" "$tmp/deb"
    cat >"$tmp/apt.conf" <<EOF
#clear Binary;
#clear APT::Update;
APT::Sandbox::User "";
APT::Default-Release "";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::Languages "none";
Dir::State "$tmp/state";
Dir::State::status "/dev/null";
Dir::Cache "$tmp/cache";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
EOF
}

# Prints the machine's Debian archives, each with its place in the configuration:
# 'URI SUITE FILE:NUMBER'. |$@| are options for apt-get.
list_archives()
{
    # shellcheck disable=SC2016 # apt-get fills these in, not the shell
    apt-get "$@" indextargets --format '$(REPO_URI) $(RELEASE) $(SOURCESENTRY)' \
        'Created-By: Packages' 'Origin: Debian' 'Component: main' 2>>"$tmp/log" |
        sed '/^cdrom:/d' | sort -u
}

# Sets |archives|. If the machine has no package lists, fetches them into the private state.
find_archives()
{
    archives=$(list_archives)
    if [ -z "$archives" ]; then
        apt update || :
        archives=$(list_archives -c "$tmp/apt.conf")
    fi
    [ -n "$archives" ] || die_of_apt "apt knows no Debian mirror on this machine." \
        "Look at its sources, and run 'apt-get update' as root." "$hint"
}

# Prints the keyring that checks the source entry |$1| (FILE:NUMBER).
# The number counts stanzas in a .sources file and lines in other files.
keyring_of()
{
    case $1 in
    *.sources:*)
        key=$(awk -v n="${1##*:}" '
            /^[ \t]*$/ { inside = 0; next }
            /^#/ { next }
            !inside { inside = 1; stanza++ }
            stanza == n && tolower($1) == "signed-by:" { print $2 }
        ' "${1%:*}")
        ;;
    *)
        key=$(sed -n "${1##*:}s/.*\[.*signed-by=\([^] ]*\).*\].*/\1/p" "${1%:*}")
        ;;
    esac
    case $key in
    /*) echo "$key" ;;
    *) echo "$default_keyring" ;;
    esac
}

# Runs apt-get with $tmp/sources.list as the only list of sources.
apt_only()
{
    apt -o Dir::Etc::sourcelist="$tmp/sources.list" -o Dir::Etc::sourceparts=/dev/null "$@"
}
