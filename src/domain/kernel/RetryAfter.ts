/** Longer waits are limited to a day, so that no provider can silence a channel for ever. */
const maxSeconds = 86_400

/** The seconds that a Retry-After header asks to wait: a number, or a date (RFC 9110, 10.2.3); null for anything else. */
export const parseRetryAfter = (header: string | undefined, nowMillis: number): number | null => {
  const text = header?.trim() ?? ""
  const seconds = /^\d+(\.\d+)?$/.test(text)
    ? Number(text)
    : /^[A-Za-z]{3,9}, /.test(text)
    ? (Date.parse(text) - nowMillis) / 1000
    : NaN
  return Number.isNaN(seconds) ? null : Math.min(Math.max(0, seconds), maxSeconds)
}
