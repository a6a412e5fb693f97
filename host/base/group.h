/*
 * group.h - recognises a user's private group. A file that only this group can write counts as the
 * user's own file: a git checkout with the umask 002 has such files.
 *
 * Reads /etc/passwd and /etc/group itself. Name services (nsswitch.conf) are not asked: that would
 * load their code into the process of an application, and may wait for a network. A group that they
 * know and /etc/group does not is not private.
 */
#ifndef CR_GROUP_H
#define CR_GROUP_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * |passwd| and |group| are the texts of these files. Returns whether the group |gid| has the name
 * of the user |uid|, no other member, and is not the primary group of another user. A text that
 * cannot be understood, or that refers to other sources ("+", "-"), gives false.
 */
bool cr_group_is_private(const char *passwd, const char *group, uid_t uid, gid_t gid);

/*
 * |path| starts at |dir|, and |st| is its status. Returns whether the file's group is the private
 * group of this process's user, and no access list names others. Reads files: not for the loop's
 * thread.
 */
bool cr_group_is_mine(int dir, const char *path, const struct stat *st);

#endif
