// Cleans package-lock.json, or with --check says what is wrong with it.
//
// Removes the addresses of registries, so that any registry will do, and reports each package that has no integrity
// hash. npm writes no hash, or no entry at all, for a platform's binary package that its registry does not carry:
// choose a version that is published for every platform, in package.json or under its `overrides`.
// Run it after `npm install <something>`.
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL("../package-lock.json", import.meta.url)
interface Entry {
  resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly link?: boolean
  readonly integrity?: string
}

// the cast: npm wrote it
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, Entry> }
const problems: Array<string> = []
const unpublished: Array<string> = []

/** Where npm would look for `name` from the package at `from`: its own node_modules, then each one above. */
const candidates = (from: string, name: string): ReadonlyArray<string> => {
  const paths: Array<string> = []
  for (let folder = from;; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    paths.push(`${folder === "" ? "" : `${folder}/`}node_modules/${name}`)
    if (folder === "" || !folder.includes("node_modules/")) return paths
  }
}

for (const [path, entry] of Object.entries(lock.packages)) {
  if (entry.resolved?.startsWith("http")) {
    problems.push(`${path} has the address of a registry`)
    delete entry.resolved
  }
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (candidates(path, name).some((candidate) => lock.packages[candidate] !== undefined)) continue
    unpublished.push(`${path} lacks its optional ${name} ${version}`)
  }
  if (path !== "" && entry.link !== true && entry.integrity === undefined) {
    unpublished.push(`${path} has no integrity hash`)
  }
}

lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a === "" ? -1 : b === "" ? 1 : a.localeCompare(b, "en")))
)

if (unpublished.length > 0) {
  console.error(`package-lock.json names packages that this registry does not carry:\n${unpublished.join("\n")}`)
  process.exitCode = 1
}
if (problems.length > 0 && process.argv.includes("--check")) {
  console.error(`package-lock.json names a registry; run \`npm run lock\`:\n${problems.join("\n")}`)
  process.exit(1)
}
if (problems.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
