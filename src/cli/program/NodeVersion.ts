/**
 * The first version of each major of Node.js that the tests run on, as in package.json's `engines`. 22.16 is the first 22
 * whose SQLite gives rows as arrays and the names of columns.
 */
const tested: ReadonlyArray<readonly [major: number, minor: number]> = [[20, 19], [22, 16], [24, 0], [26, 0]]

/** Why the program does not run on this version, and what to install; undefined where it does. */
export const refusalOf = (version: string): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (tested.some((known) => major === known[0] && minor >= known[1])) return undefined
  const versions = tested.map((known) => known[1] === 0 ? known[0] : known.join("."))
  return `svc needs Node.js ${versions.slice(0, -1).join(", ")} or ${
    versions.at(-1)
  }, or a later release of one of these, and was not tested on ${version}, which is in use: install one from https://nodejs.org, then run npm ci or npm install again`
}
