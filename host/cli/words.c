/* words.c - the words of the command, instead of those of the library. */
#include "base/words.h"

#define WORD(name, library, command) command,
const char *const cr_words[CR_WORD_COUNT] = {CR_WORDS(WORD)};
