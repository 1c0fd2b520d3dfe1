import { execFile } from "node:child_process"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

/** The newest release of each major version that is tested beside the one that runs the tests. */
export const nodeReleases = ["22.23.3", "24.21.0", "26.12.1"] as const

/** The oldest Node.js 22 that the program runs on. */
export const oldestNode22 = "22.16.0"

const found = new Map<string, Promise<string>>()

/**
 * The program `node` of a release, from the npm package that has it for this platform. One process of the tests downloads
 * it into `node_modules/.cache`, and the next ones find it there.
 */
export const nodeRelease = (version: string): Promise<string> => {
  const known = found.get(version) ?? download(version)
  found.set(version, known)
  return known
}

const download = async (version: string): Promise<string> => {
  const folder = join(import.meta.dirname, "../node_modules/.cache/svc-node")
  const file = join(folder, version)
  await mkdir(folder, { recursive: true })
  const script = `
    [ -x "$1" ] && exit
    rm -rf "$1.new"
    npm install --prefix "$1.new" --ignore-scripts --no-audit --no-fund --no-save "$2@$3" >&2
    mv "$1.new/node_modules/$2/bin/node" "$1"
    rm -rf "$1.new"`
  const name = `node-${process.platform}-${process.arch}`
  await promisify(execFile)("flock", [`${file}.lock`, "sh", "-euc", script, "sh", file, name, version], {
    timeout: 180_000
  })
  return file
}
