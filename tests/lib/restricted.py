"""restricted.py - environments where some kernel features of the sandbox are really unavailable.

MISSING is {name: (command prefix, {layer: errno})}: there caprun runs, and reports that exactly these
layers are missing. REFUSED is {name: (command prefix, step)}: there nothing runs. Layers and steps are
named as in wire.h. If the tests run as root, each entry exists for root and for an ordinary user.
"""

import os
from errno import E2BIG, EINVAL, ENOSPC, ENOSYS, EPERM

from harness import BUILD, NOBODY, SANITIZED

RESTRICT = os.path.join(BUILD, "tests/restrict")
LANDLOCK = ("LANDLOCK_FS", "LANDLOCK_NET", "LANDLOCK_SCOPE")
NAMESPACES = ("USER_NS", "JOINED_NS", "PID_NS", "EMPTY_ROOT")
CONTAINER = "seccomp:EPERM:unshare,mount,umount2,setns,pivot_root"


def all_of(layers, error):
    return dict.fromkeys(layers, error)


# The layers that are missing for root, and the layers that are also missing for an ordinary user.
_MISSING = {
    "nothing": ([], {}, {}),
    "a container": ([CONTAINER], all_of(NAMESPACES, EPERM), {"NO_CAPS": EPERM}),
    "a container on an old kernel":
        ([CONTAINER, "seccomp:ENOSYS:landlock_create_ruleset,clone3", "seccomp:EINVAL:prctl/65"],
         all_of(NAMESPACES, EPERM) | all_of(LANDLOCK, ENOSYS) | {"MDWE": EINVAL}, {"NO_CAPS": EPERM}),
    "no user namespaces": (["users"], {"USER_NS": ENOSPC},
                           all_of(("JOINED_NS", "PID_NS", "EMPTY_ROOT", "NO_CAPS"), EPERM)),
    "no Landlock": (["seccomp:ENOSYS:landlock_create_ruleset"], all_of(LANDLOCK, ENOSYS), {}),
    "no free Landlock domain": (["landlock:net"], all_of(LANDLOCK, E2BIG), {}),
    "no free Landlock domain, no mounts": (["landlock:files"], all_of(LANDLOCK, E2BIG) | {"EMPTY_ROOT": EPERM}, {}),
    "no mounts": (["seccomp:EPERM:mount"], {"EMPTY_ROOT": EPERM}, {}),
    "no pivot_root": (["seccomp:EPERM:pivot_root"], {"EMPTY_ROOT": EPERM}, {}),
    "no setns": (["seccomp:EPERM:setns"], {"JOINED_NS": EPERM}, {}),
    "no PR_SET_MDWE": (["seccomp:EINVAL:prctl/65"], {"MDWE": EINVAL}, {}),
    "no dropping of the bounding set": (["seccomp:EPERM:prctl/24"], {"NO_CAPS": EPERM}, {}),
    "no prctl of that kind": (["seccomp:EINVAL:prctl/24"], {"NO_CAPS": EINVAL}, {}),
    "no PR_SET_THP_DISABLE": (["seccomp:EINVAL:prctl/41"], {}, {}),
    "no clone3": (["seccomp:ENOSYS:clone3"], {}, {}),
    "no processor affinity": (["seccomp:EPERM:sched_setaffinity,sched_getaffinity"], {}, {}),
}

_REFUSED = {
    "no filter": (["seccomp:ENOSYS:seccomp"], "SECCOMP"),
    "no no_new_privs": (["seccomp:EINVAL:prctl/38"], "NO_NEW_PRIVS"),
    "no close_range": (["seccomp:ENOSYS:close_range"], "DESCRIPTORS"),
    "no capset": (["seccomp:EPERM:capset"], "IDENTITY"),
    "no setresuid": (["seccomp:EPERM:setresuid"], "IDENTITY"),
    "no signalfd": (["seccomp:EPERM:signalfd4"], "DESCRIPTORS"),
    "no personality": (["seccomp:EPERM:personality"], "RANDOMISATION"),
}
if not SANITIZED:  # a sanitizer itself sets limits
    _REFUSED["no prlimit"] = (["seccomp:EPERM:prlimit64"], "RLIMITS")


def _for_each_user(table, make):
    made = {}
    for name, (what, *rest) in table.items():
        before = [RESTRICT, *what, "--"] if what else []
        if os.geteuid() == 0:
            made[f"root: {name}"] = (before, make("root", *rest))
        # if changing the uid is forbidden there, change it before
        late = name in ("no setresuid", "no capset")
        user = [] if os.geteuid() else NOBODY
        made[f"user: {name}"] = ([*user, *before] if late else [*before, *user], make("user", *rest))
    return made


MISSING = _for_each_user(_MISSING, lambda user, for_all, more: for_all | (more if user == "user" else {}))
REFUSED = _for_each_user(_REFUSED, lambda user, step: step)
