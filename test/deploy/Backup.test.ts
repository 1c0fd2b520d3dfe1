import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { engines } from "../databases.ts"
import { has } from "../needs.ts"
import { freshPostgres } from "../postgres.ts"
import { canIsolate, contain } from "./containers.ts"
import { type Manifests, renderChart } from "./helm.ts"

const ready = canIsolate && await has("Python")

/** The scripts of the chart's CronJob and restore Job, with the paths of the container of these tests. */
const scriptOf = ({ full = [] }: Manifests, kind: "CronJob" | "Job") => {
  const { spec } = full.find((manifest) => manifest.kind === kind)
  const { template } = kind === "CronJob" ? spec.jobTemplate.spec : spec
  const [script] = template.spec.containers[0].args
  return String(script).replaceAll("/backups", "/mnt/data/backups").replaceAll(
    "/run/secrets/svc-backup",
    "/mnt/data"
  )
}

const scriptWith = (manifests: Manifests) => `
  svc() { '${process.execPath}' '${inject("program")}' "$@"; }
  mkdir /mnt/data/backups
  echo 'correct horse battery' > /mnt/data/passphrase
  svc bootstrap-admin --email admin@example.com --password-stdin < /mnt/data/passphrase
  for day in 01 02 03 04; do touch "/mnt/data/backups/svc-2000-01-\${day}T03-17-00Z"; done
  touch -d '2 days ago' /mnt/data/backups/svc-2000-01-05T03-17-00Z.partial-7-00000000
  touch /mnt/data/backups/another-file
  ( ${scriptOf(manifests, "CronJob")} )
  echo kept: $(ls /mnt/data/backups)
  head -n 1 /mnt/data/backups/svc-20[!0]*Z
  svc reset --force
  mv /mnt/data/backups/svc-20[!0]*Z /mnt/data/backups/svc-2026-11-23T03-17-00Z
  ( ${scriptOf(manifests, "Job")} )`

describe.skipIf(!ready).each(engines)("backups in a container, on %s", (engine) => {
  it.scopedLive(
    "the chart's jobs write, keep, delete and restore as the image's user on a read-only root",
    () =>
      Effect.gen(function*() {
        const root = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-backup-"))),
          (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
        )
        const settings = engine === "PostgreSQL" ? { SVC_DATABASE_URL: (yield* freshPostgres).url } : {}
        const script = scriptWith(yield* Effect.promise(() => renderChart([], [])))
        const { exit, log } = yield* contain(root, ["sh", "-euc", script], settings)
        assert.strictEqual(yield* exit, 0, log())
        assert.match(
          log(),
          /^kept: another-file svc-2000-01-03T03-17-00Z svc-2000-01-04T03-17-00Z svc-[\dT-]+Z$/m
        )
        assert.match(log(), /^age-encryption\.org\/v1$/m)
        assert.match(log(), /^restored [1-9]\d* rows of/m)
      })
  )
})
