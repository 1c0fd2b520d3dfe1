/** The parts of a list as typed, one a line or with commas; null where there are none. */
export const parseLines = (text: string): Array<string> | null => {
  const parts = text.split(/[\n,]+/).map((part) => part.trim()).filter((part) => part !== "")
  return parts.length === 0 ? null : parts
}
