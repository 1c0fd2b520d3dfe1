/** Marks of values that svc, agents and engines show only in part. The API refuses arguments that have one. */
const marks: ReadonlyArray<RegExp> = [
  /\[REDACTED\]/,
  /"svc_truncated":\s*true/,
  /\[svc cut \d+ bytes/,
  /\d+ more bytes truncated\]/,
  /\[(?:more than \d+ (?:characters|values)(?: in one message)?|an object of more than \d+ keys): left out\]/,
  /\[cannot be read\]/,
  /(?<!\\)"[([{](?:[^"\\]|\\.)*(?:, \.\.\.|\.\.\.(?:'|\\"),?|[([{]\.\.\.)[)\]}]+"/,
  /(?<!\\)"[([{](?:[^"\\]|\\.)*[([{]\.\.\.[)\]}](?:[,)\]}]|: )/,
  /"\{?Ellipsis\}?"(?!\s*:)/
]

/** Whether the JSON text has a value that is shown only in part: sent to a worker, the part would be the value. */
export const isLossyCopy = (json: string): boolean => marks.some((mark) => mark.test(json))
