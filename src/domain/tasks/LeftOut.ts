/** The note in the place of a value that an agent or the brain left out of an event because it exceeds a bound. */
export const leftOutNote = (why: string): string => `[${why}: left out]`
