import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { virtualEnvironment } from "../e2e/virtualEnvironment.ts"
import { has } from "../needs.ts"
import { freePort } from "../ports.ts"
import { until } from "../until.ts"
import { canIsolate, contain, tini } from "./containers.ts"

const repository = join(import.meta.dirname, "../..")
const dockerfile = join(repository, "deploy/docker/Dockerfile")

const hasPython = await has("Python")
const hasTini = await has("tini")
if (!canIsolate) console.warn("skipped: tests of the image's user and process 1 need root and namespaces")

/** A temporary folder that only root sees into. */
const emptyFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-image-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe("the image", () => {
  it.live.skipIf(!hasPython)(
    "hadolint finds nothing in the Dockerfile, and what it copies exists",
    () =>
      Effect.gen(function*() {
        const bin = yield* virtualEnvironment("deploy", join(import.meta.dirname, "python/requirements.txt"))
        assert.strictEqual(execFileSync(join(bin, "hadolint"), [dockerfile], { encoding: "utf8" }), "")
        const text = readFileSync(dockerfile, "utf8")
        for (const file of ["package.json", "package-lock.json", "LICENSE"]) {
          assert.include(text, file)
          assert.isTrue(existsSync(join(repository, file)))
        }
      })
  )

  for (const first of ["tini", "node"]) {
    it.scopedLive.skipIf(!canIsolate || !hasTini)(
      `${first} as process 1: svc runs as another user on a read-only root, is healthy, and ends with 0 on SIGTERM`,
      () =>
        Effect.gen(function*() {
          const root = yield* emptyFolder
          const port = String(yield* freePort)
          const program = [process.execPath, inject("program"), "serve"]
          const command = first === "tini" ? [(yield* tini).path, "--", ...program] : program
          const svc = yield* contain(root, command, { SVC_PORT: port, SVC_HOST: "0.0.0.0" })
          // the image's own health check
          const [, check = "[]"] = /HEALTHCHECK[^\n]*\\\n\s+CMD (\[.*\])\n/.exec(readFileSync(dockerfile, "utf8")) ?? []
          const [, ...args] = JSON.parse(check) as ReadonlyArray<string> // a JSON array of words, says Docker
          const healthy = Effect.sync(() => {
            try {
              execFileSync(process.execPath, args, { env: { SVC_PORT: port } })
              return true
            } catch {
              return false
            }
          })
          yield* until(healthy, (is) => is, "60 seconds").pipe(Effect.tapError(() => Effect.logError(svc.log())))
          if (first === "tini") {
            yield* svc.execute("(sleep 0.05 &)") // an orphan, which falls to process 1
            yield* until(svc.children, (states) => states.length === 1 && !states.includes("Z"))
          }
          assert.strictEqual(yield* svc.stop, 0, svc.log())
          yield* until(healthy, (is) => !is)
        })
    )
  }
})
