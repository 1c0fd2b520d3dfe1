import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { inject } from "vitest"
import { loadDrivers } from "../../src/sqlite/Driver.ts"
import { isFullLane } from "../engines.ts"
import { nodeRelease, nodeReleases, oldestNode22 } from "../nodeReleases.ts"
import { checks } from "./checks.ts"

interface Report {
  readonly driver: string
  readonly results: Readonly<Record<string, string | null>>
}

/** What `checksProgram.ts` prints on that Node.js. It prints no warning. */
const reportOf = async (node: string): Promise<Report> => {
  const { stderr, stdout } = await promisify(execFile)(node, [join(inject("programs"), "sqlite-checks.js")])
  assert.strictEqual(stderr, "")
  return JSON.parse(stdout) // our own program's
}

const [here = "no driver"] = loadDrivers().found.map(([name]) => name)
const runtimes: ReadonlyArray<readonly [driver: string, release: string | null]> = [
  [here, null],
  ...(isFullLane ? [oldestNode22, ...nodeReleases] : []).map((release) => ["node:sqlite", release] as const)
]

describe.each(runtimes)("SQLite by %s, Node.js %s", (driver, release) => {
  const report = (release === null ? Promise.resolve(process.execPath) : nodeRelease(release)).then(reportOf)

  it("is the driver", async () => assert.strictEqual((await report).driver, driver))

  it.each(Object.keys(checks))("%s", async (title) => assert.isNull((await report).results[title]))
})

it("Node 20 has better-sqlite3 only, later ones their own", () => {
  assert.strictEqual(here, process.versions.node.startsWith("20.") ? "better-sqlite3" : "node:sqlite")
})
