import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"

const git = (...args: ReadonlyArray<string>) => execFileSync("git", [...args], { encoding: "utf8" }).trim()

/**
 * The path of `svc` as it was before the newest migration: the last version that a rolling upgrade to this one replaces.
 * Built from this repository's history, once a commit.
 */
export const buildPreviousProgram = (): string => {
  const newest = readdirSync("migrations").filter((name) => /^\d{4}_/.test(name)).sort().at(-1) ?? ""
  const added = git("log", "--diff-filter=A", "--format=%H", "-1", "--", `migrations/${newest}`)
  const commit = git("rev-parse", added === "" ? "HEAD" : `${added}^`)
  const folder = join("node_modules/.cache", `svc-previous-${commit.slice(0, 12)}`)
  const program = join(folder, "dist/cli/svc.js")
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const archive = execFileSync("git", ["archive", commit], { maxBuffer: 256 * 1024 * 1024 })
  execFileSync("tar", ["-x", "-C", folder], { input: archive })
  if (!existsSync(join(folder, "node_modules"))) symlinkSync("../..", join(folder, "node_modules"))
  execFileSync(process.execPath, ["scripts/build.mjs", "cli"], { cwd: folder, stdio: "inherit" })
  return program
}
