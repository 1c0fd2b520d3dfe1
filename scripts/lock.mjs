// Completes package-lock.json, or with --check says what is missing.
//
// `npm ci` refuses a lockfile in which a package's optionalDependencies have no entry, and npm writes such a lockfile
// when its registry does not carry every platform's binary package. This adds the missing entries (version, os, cpu,
// libc from the name, as npm itself would) and removes addresses of registries, so that any registry will do.
// Run it after `npm install <something>`.
import { readFileSync, writeFileSync } from "node:fs"

const file = new URL("../package-lock.json", import.meta.url)
const lock = JSON.parse(readFileSync(file, "utf8"))
const problems = []

/** Where npm would look for `name` from the package at `from`: its own node_modules, then each one above. */
const candidates = (from, name) => {
  const paths = []
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf("/node_modules/"), 0))) {
    paths.push(`${at === "" ? "" : `${at}/`}node_modules/${name}`)
    if (at === "" || !at.includes("node_modules/")) return paths
  }
}

const systems = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"]
const processors = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64"]

/** `@oxlint/binding-linux-x64-musl` runs on linux, x64, musl. */
const platformOf = (name) => {
  const words = name.split(/[/-]/)
  const os = words.filter((word) => systems.includes(word))
  const cpu = words.filter((word) => processors.includes(word))
  const libc = os[0] !== "linux" ? [] : words.some((word) => word.startsWith("musl"))
    ? ["musl"]
    : words.some((word) => word.startsWith("gnu"))
    ? ["glibc"]
    : []
  return { cpu, libc, os }
}

for (const [path, entry] of Object.entries(lock.packages)) {
  if (entry.resolved?.startsWith("http")) {
    problems.push(`${path} has the address of a registry`)
    delete entry.resolved
  }
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (candidates(path, name).some((candidate) => lock.packages[candidate] !== undefined)) continue
    problems.push(`${path} lacks its optional ${name}`)
    const { cpu, libc, os } = platformOf(name)
    lock.packages[`node_modules/${name}`] = { // in npm's own order
      version,
      ...(cpu.length > 0 && { cpu }),
      ...(entry.dev && { dev: true }),
      ...(libc.length > 0 && { libc }),
      optional: true,
      ...(os.length > 0 && { os })
    }
  }
}

lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => (a === "" ? -1 : b === "" ? 1 : a.localeCompare(b, "en")))
)

if (problems.length > 0 && process.argv.includes("--check")) {
  console.error(`package-lock.json is not complete; run \`node scripts/lock.mjs\`:\n${problems.join("\n")}`)
  process.exit(1)
}
if (problems.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
