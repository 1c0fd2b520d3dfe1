/** What is no parameter although it may contain the sign of one, then the parameters of SQLite that the program uses. */
const token = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?|[@:](?<name>[A-Za-z_]\w*)/g

/**
 * A statement with `?` for each of its parameters, and what those stand for: their names in this order, or their number.
 * node:sqlite binds names five times as slowly (125 ms instead of 23 for 5000 rows of 29 columns).
 */
export const positional = (
  sql: string
): { readonly text: string; readonly parameters: number | ReadonlyArray<string> } => {
  const names: Array<string> = []
  let count = 0
  const text = sql.replace(token, (found, name: string | undefined) => {
    if (found === "?") count++
    if (name === undefined) return found
    names.push(name)
    return "?"
  })
  return { text, parameters: names.length > 0 ? names : count }
}
