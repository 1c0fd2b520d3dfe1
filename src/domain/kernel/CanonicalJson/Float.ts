/**
 * The canonical text of a float, equal to CPython's `repr` (agents' protocol, section 3.2): the shortest digits that
 * read back as the same binary64, fixed notation for exponents -4 to 15, else `d.ddde±XX`, always a point or an `e`.
 * The value must be finite.
 */
export const floatText = (value: number): string => {
  const magnitude = Math.abs(value)
  if (magnitude < 1e16 && magnitude >= 1e-4) {
    const text = String(value) // JavaScript's fixed notation reaches further on both sides
    return Number.isInteger(value) ? `${text}.0` : text
  }
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0"
  const text = value.toExponential()
  const exponent = text.indexOf("e") + 2
  return text.length - exponent >= 2 ? text : `${text.slice(0, exponent)}0${text.slice(exponent)}`
}
