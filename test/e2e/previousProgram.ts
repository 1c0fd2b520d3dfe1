import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"

const git = (...args: ReadonlyArray<string>) =>
  execFileSync("git", [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

const hasHistory = () => {
  try {
    return git("rev-parse", "--is-shallow-repository") === "false"
  } catch {
    return false
  }
}

/** The files of the steps of a commit. */
const listSteps = (commit: string) =>
  git("ls-tree", "-r", "--name-only", commit, "--", "migrations").split("\n").filter((name) => /\/\d{4}_/.test(name))

/** What a step does: the files that it imports and that its comments name may have moved since. */
const readStep = (commit: string, name: string) =>
  git("show", `${commit}:${name}`).replace(/^import [^;]*? from .*$|\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

/**
 * The last commit that lacks a step of this one, and whose own steps are still as they were then: the last version that a
 * rolling upgrade to this one replaces. Null where the sources have no history, as those of an archive or of a shallow
 * clone.
 */
export const findPreviousCommit = (): string | null => {
  if (!hasHistory()) return null
  const steps = listSteps("HEAD")
  const files = readdirSync("migrations").filter((name) => /^\d{4}_/.test(name))
  if (files.length > steps.length) return git("rev-parse", "HEAD")
  for (const commit of git("log", "--format=%H", "--", "migrations").split("\n")) {
    const former = listSteps(`${commit}^`)
    const isEarlier = former.length > 0 && former.length < steps.length
    if (
      isEarlier &&
      former.every((name) => steps.includes(name) && readStep(`${commit}^`, name) === readStep("HEAD", name))
    ) {
      return git("rev-parse", `${commit}^`)
    }
  }
  throw new Error("no commit has the first steps alone")
}

/** The packages of its lockfile: ours, where it is the same. Compiling better-sqlite3 takes minutes, so ours is taken. */
const providePackages = (folder: string) => {
  const packages = join(folder, "node_modules")
  rmSync(packages, { recursive: true, force: true })
  const lockOf = (path: string) => readFileSync(join(path, "package-lock.json"), "utf8")
  if (lockOf(folder) === lockOf(".")) return symlinkSync("../..", packages)
  execFileSync("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], { cwd: folder })
  const compiled = "node_modules/better-sqlite3/build"
  if (existsSync(compiled)) cpSync(compiled, join(folder, compiled), { recursive: true })
}

/** Builds `svc` as it was at this commit, once, and answers its path. */
export const buildProgramOf = (commit: string): string => {
  const folder = join("node_modules/.cache", `svc-previous-${commit.slice(0, 12)}`)
  const program = join(folder, "dist/cli/svc.js")
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync("git", ["archive", commit], { maxBuffer: 256 * 1024 * 1024 })
  execFileSync("tar", ["-x", "-C", folder], { input: archive })
  providePackages(folder)
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs", "cli"], { cwd: folder, stdio: "inherit" })
  // its bill of materials, which comes after the program, fails where the lockfile has changed since
  if (!existsSync(program)) throw new Error(`the build of ${commit} ended with ${status} and without a program`)
  return program
}
