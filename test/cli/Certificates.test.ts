import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { X509Certificate } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { svcHere } from "./svcHere.ts"

/** A folder of its own, and the command with its files in it. */
const folder = Effect.gen(function*() {
  const path = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-mint-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const mint = (name: string, ...more: ReadonlyArray<string>) =>
    svcHere([
      "mint-scheduler-cert",
      "--name",
      name,
      "--ca-cert",
      join(path, "authority/ca.pem"),
      "--ca-key",
      join(path, "authority/ca-key.pem"),
      "--out-dir",
      join(path, "out"),
      ...more
    ], { SVC_HOME: path })
  return { path, mint, read: (file: string) => readFileSync(join(path, file)) }
})

describe("svc mint-scheduler-cert", () => {
  it.scopedLive("creates an authority, and certificates for the brain and for schedulers with it", () =>
    Effect.gen(function*() {
      const { mint, path, read } = yield* folder
      const brain = yield* mint("brain", "--server-hosts", "brain.example.com, 10.0.0.5")
      assert.strictEqual(brain.code, 0, brain.stderr)
      assert.include(brain.stdout, "created the authority")
      assert.include(brain.stdout, `SVC_SCHEDULER_GRPC_TLS_CERT=${join(path, "out/brain.pem")}`)
      const scheduler = yield* mint("scheduler-1", "--days", "30")
      assert.strictEqual(scheduler.code, 0, scheduler.stderr)
      assert.strictEqual(
        scheduler.stdout,
        `SVC_SCHEDULER_TLS_CERT=${join(path, "out/scheduler-1.pem")}
SVC_SCHEDULER_TLS_KEY=${join(path, "out/scheduler-1-key.pem")}
SVC_SCHEDULER_TLS_CA=${join(path, "authority/ca.pem")}
`
      )
      const authority = new X509Certificate(read("authority/ca.pem"))
      const certificates = ["brain", "scheduler-1"].map((name) => new X509Certificate(read(`out/${name}.pem`)))
      assert.isTrue(authority.ca)
      for (const certificate of certificates) assert.isTrue(certificate.verify(authority.publicKey))
      assert.strictEqual(certificates[0]?.subjectAltName, "DNS:brain.example.com, IP Address:10.0.0.5")
      assert.strictEqual(certificates[1]?.subject, "CN=scheduler-1")
      const days = (Date.parse(certificates[1]?.validTo ?? "") - Date.now()) / 86_400_000
      assert.closeTo(days, 30, 0.1)
      for (const file of ["authority/ca-key.pem", "out/brain-key.pem", "out/scheduler-1-key.pem"]) {
        assert.strictEqual(statSync(join(path, file)).mode & 0o777, 0o600, file)
      }
    }))

  it.scopedLive("overwrites nothing, and says what is wrong", () =>
    Effect.gen(function*() {
      const { mint, path, read } = yield* folder
      yield* mint("one")
      const before = read("out/one.pem")
      const again = yield* mint("one")
      assert.strictEqual(again.code, 1)
      assert.include(again.stderr, "exists already")
      assert.deepStrictEqual(read("out/one.pem"), before)
      for (const name of ["", "../one", "a/b", "-x", "x".repeat(65), "a b"]) {
        assert.strictEqual((yield* mint(name)).code, 2, name)
      }
      assert.strictEqual((yield* mint("two", "--days", "0")).code, 2)
      assert.strictEqual((yield* mint("two", "--server-hosts", "http://x")).code, 2)

      writeFileSync(join(path, "authority/ca-key.pem"), read("out/one-key.pem"))
      const foreign = yield* mint("two")
      assert.strictEqual(foreign.code, 1)
      assert.include(foreign.stderr, "are not an authority's certificate and its key")
      rmSync(join(path, "authority/ca-key.pem"))
      assert.include((yield* mint("two")).stderr, "but")
      assert.deepStrictEqual(readdirSync(join(path, "out")).toSorted(), ["one-key.pem", "one.pem"])
    }))
})
