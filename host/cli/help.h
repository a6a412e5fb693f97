/* help.h - the text that --help prints. */
#ifndef CR_HELP_H
#define CR_HELP_H

extern const char cr_help_text[];

#endif
