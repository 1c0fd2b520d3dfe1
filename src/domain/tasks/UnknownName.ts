/** Whether an event reported the name. `<unknown:…>` is the placeholder until then, and agents refuse it. */
export const isKnownName = (name: string): boolean => !name.startsWith("<unknown:")
