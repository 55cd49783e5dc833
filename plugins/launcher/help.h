#ifndef ASSAY_LAUNCHER_HELP_H
#define ASSAY_LAUNCHER_HELP_H

/* Prints the use of the program; an exit status. */
int help_print(void);

#endif
