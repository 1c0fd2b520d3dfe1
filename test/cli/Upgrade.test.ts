import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { inject } from "vitest"
import { version } from "../../src/domain/Version.ts"
import { temporaryHome } from "../databases.ts"
import { makeRegistry, npmEnvironment } from "../registry.ts"

const bin = { svc: "./dist/cli/svc.js", "svc-scheduler": "./dist/cli/svc.js" }

const write = (folder: string, manifest: object) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest))
}

/** A version 9.9.9 that only prints its version, packed by npm. */
const packNewer = (folder: string, env: Readonly<Record<string, string>>) => {
  write(folder, { name: "svc", version: "9.9.9", bin })
  mkdirSync(join(folder, "dist/cli"), { recursive: true })
  writeFileSync(join(folder, "dist/cli/svc.js"), "#!/usr/bin/env node\nconsole.log('9.9.9')\n")
  execFileSync("npm", ["pack", "--silent"], { cwd: folder, env: { PATH: process.env.PATH ?? "", ...env } })
  return { name: "svc", version: "9.9.9", bin, tarball: join(folder, "svc-9.9.9.tgz") }
}

/** The built program as npm would have installed it; its native packages are those of the tests. */
const placeProgram = (nodeModules: string) => {
  const folder = join(nodeModules, "svc")
  write(folder, { name: "svc", version, type: "module", bin })
  cpSync(dirname(inject("program")), join(folder, "dist/cli"), { recursive: true })
  return join(folder, "dist/cli/svc.js")
}

const world = Effect.gen(function*() {
  const home = yield* temporaryHome
  const registry = yield* makeRegistry
  const env = npmEnvironment(registry, home)
  const upgrade = (program: string, args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) => {
    // not spawnSync: the registry answers in this process
    return Effect.async<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resume) => {
      void import("node:child_process").then(({ execFile }) =>
        execFile(
          process.execPath,
          [program, "upgrade", ...args],
          { env: { PATH: process.env.PATH ?? "", SVC_HOME: join(home, "svc"), ...env, ...more } },
          (error, stdout, stderr) =>
            resume(Effect.succeed({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
        )
      )
    })
  }
  return { env, home, registry, upgrade }
})

describe("svc upgrade", () => {
  it.scopedLive("checks, then installs the newer version in the project where npm installed it", () =>
    Effect.gen(function*() {
      const { env, home, registry, upgrade } = yield* world
      const newer = packNewer(join(home, "newer"), env)
      registry.published = [newer]
      const project = join(home, "project")
      write(project, { name: "shop", version: "1.0.0", dependencies: { svc: `^${version}` } })
      const program = placeProgram(join(project, "node_modules"))

      const checked = yield* upgrade(program, ["--json"])
      assert.strictEqual(checked.code, 0, checked.stderr)
      assert.deepStrictEqual(JSON.parse(checked.stdout), {
        installed: version,
        latest: "9.9.9",
        is_outdated: true,
        installation: "project",
        applied: false
      })
      assert.include((yield* upgrade(program, [])).stdout, "svc 9.9.9 is available; ")
      const container = yield* upgrade(program, ["--apply"], { SVC_CONTAINER: "true" })
      assert.strictEqual(container.code, 1)
      assert.match(container.stderr, /^svc: svc 9\.9\.9 is available, and nothing was changed: svc runs in a container/)

      const applied = yield* upgrade(program, ["--apply"])
      assert.strictEqual(applied.code, 0, applied.stderr)
      assert.match(applied.stdout, /^installed svc 9\.9\.9 in place of [\d.]+\. Restart every brain/)
      assert.include(applied.stderr, "svc backup")
      const installed = spawnSync(process.execPath, [program, "version"], { encoding: "utf8" })
      assert.strictEqual(installed.stdout, "9.9.9\n")
      const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"))
      assert.deepStrictEqual(dependencies, { svc: "^9.9.9" })
    }))

  it.scopedLive("installs it globally where it was installed globally", () =>
    Effect.gen(function*() {
      const { env, home, registry, upgrade } = yield* world
      registry.published = [packNewer(join(home, "newer"), env)]
      const prefix = join(home, "prefix")
      const program = placeProgram(join(prefix, "lib/node_modules"))
      mkdirSync(join(prefix, "bin"))
      symlinkSync("../lib/node_modules/svc/dist/cli/svc.js", join(prefix, "bin/svc"))
      const global = { npm_config_prefix: prefix }
      const applied = yield* upgrade(join(prefix, "bin/svc"), ["--apply", "--json"], global)
      assert.strictEqual(applied.code, 0, applied.stderr)
      assert.deepInclude(JSON.parse(applied.stdout), { installation: "global", applied: true })
      const installed = spawnSync(process.execPath, [program, "version"], { encoding: "utf8" })
      assert.strictEqual(installed.stdout, "9.9.9\n")
    }))

  it.scopedLive("changes nothing in a clone, elsewhere, or when nothing is newer; says why a check failed", () =>
    Effect.gen(function*() {
      const { home, registry, upgrade } = yield* world
      registry.published = [{ name: "svc", version, bin }]
      const clone = inject("program") // within this repository
      assert.strictEqual((yield* upgrade(clone, [])).stdout, `svc ${version} is the newest version\n`)
      assert.strictEqual((yield* upgrade(clone, ["--apply"])).code, 0)
      registry.published = [{ name: "svc", version: "9.9.9", bin }]
      const refused = yield* upgrade(clone, ["--apply"])
      assert.strictEqual(refused.code, 1)
      assert.match(refused.stderr, /nothing was changed: svc runs from a clone: git pull/)
      const foreign = placeProgram(join(home, "elsewhere/node_modules"))
      writeFileSync(join(home, "elsewhere/pnpm-lock.yaml"), "")
      write(join(home, "elsewhere"), { dependencies: { svc: "*" } })
      assert.match((yield* upgrade(foreign, ["--apply"])).stderr, /upgrade it the way it was installed/)
      registry.published = [{ name: "svc", version: "9.9.9", bin: { svc: "index.js" } }]
      const other = yield* upgrade(clone, [])
      assert.strictEqual(other.code, 1)
      assert.match(other.stderr, /^svc: the registry's package svc 9\.9\.9 is another program\./)
      const offline = yield* upgrade(clone, [], { npm_config_registry: "http://127.0.0.1:9/" })
      assert.strictEqual(offline.code, 1)
      assert.match(
        offline.stderr,
        /^svc: the registry that npm is configured with cannot be reached \(ECONNREFUSED\)\n$/
      )
    }))
})
