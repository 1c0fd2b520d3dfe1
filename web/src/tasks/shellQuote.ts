/** The text as one word of a POSIX shell; ids of tasks are free text. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
