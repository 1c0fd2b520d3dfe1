import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { X509Certificate } from "node:crypto"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createAuthority } from "../../src/cli/operations/SchedulerCertificates.ts"
import { assertRefused, ok } from "./remote.ts"
import { svcHere } from "./svcHere.ts"

const day = 86_400_000

/** `svc mint-scheduler-cert` in a folder of its own. */
const mint = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-mint-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const ca = { cert: join(folder, "ca.pem"), key: join(folder, "ca-key.pem") }
  const run = (name: string, ...options: ReadonlyArray<string>) =>
    svcHere(
      [
        "mint-scheduler-cert",
        "--name",
        name,
        "--ca-cert",
        ca.cert,
        "--ca-key",
        ca.key,
        "--out-dir",
        folder,
        ...options
      ],
      {}
    )
  const read = (name: string) => new X509Certificate(readFileSync(join(folder, `${name}.pem`)))
  /** An authority that was created so many days ago, for 3650 days. */
  const age = (days: number) =>
    Effect.promise(async () => {
      const pair = await createAuthority(Date.now() - days * day)
      writeFileSync(ca.cert, pair.certificate)
      writeFileSync(ca.key, pair.key)
    })
  return { folder, ca, run, read, age }
})

describe("svc mint-scheduler-cert", () => {
  it.scopedLive("leaves no private key behind when it fails: neither its own nor the authority's", () =>
    Effect.gen(function*() {
      const { folder, run } = yield* mint
      symlinkSync("nowhere", join(folder, "half.pem")) // the key can be written, and the certificate cannot
      assertRefused(yield* run("half"), /half\.pem/)
      assert.deepStrictEqual(readdirSync(folder), ["half.pem"])
      writeFileSync(join(folder, "taken.pem"), "")
      assertRefused(yield* run("taken"), "exists already")
      assert.deepStrictEqual(readdirSync(folder).sort(), ["half.pem", "taken.pem"])
      ok(yield* run("good"))
      const before = readdirSync(folder).sort()
      assertRefused(yield* run("half"), /half\.pem/)
      assert.deepStrictEqual(readdirSync(folder).sort(), before, "an authority of before stays")
    }))

  it.scopedLive("creates the authority once, and certificates that it has signed, readable by their owner only", () =>
    Effect.gen(function*() {
      const { ca, folder, read, run } = yield* mint
      const first = ok(yield* run("brain", "--server-hosts", "brain.example.com,127.0.0.1"))
      assert.include(first, "created the authority")
      assert.include(first, `SVC_SCHEDULER_GRPC_TLS_CERT=${join(folder, "brain.pem")}`)
      const second = ok(yield* run("scheduler-1", "--days", "3"))
      assert.notInclude(second, "created the authority")
      const [authority, brain, scheduler] = [read("ca"), read("brain"), read("scheduler-1")]
      assert.isTrue(authority.ca)
      for (const certificate of [brain, scheduler]) {
        assert.isFalse(certificate.ca)
        assert.isTrue(certificate.verify(authority.publicKey))
        assert.isTrue(certificate.checkIssued(authority))
      }
      assert.deepStrictEqual(brain.keyUsage, ["1.3.6.1.5.5.7.3.1"])
      assert.deepStrictEqual(scheduler.keyUsage, ["1.3.6.1.5.5.7.3.2"])
      assert.strictEqual(brain.subjectAltName, "DNS:brain.example.com, IP Address:127.0.0.1")
      assert.closeTo(Date.parse(scheduler.validTo), Date.now() + 3 * day, 60_000)
      for (const file of [ca.key, join(folder, "brain-key.pem"), join(folder, "scheduler-1-key.pem")]) {
        assert.strictEqual(statSync(file).mode & 0o777, 0o600, file)
      }
    }))

  it.scopedLive("overwrites no file, and no file of the authority", () =>
    Effect.gen(function*() {
      const { ca, folder, run } = yield* mint
      assertRefused(yield* run("ca"), "ca.pem exists already. Choose another --out-dir or --name")
      ok(yield* run("one"))
      const before = readFileSync(join(folder, "one-key.pem"), "utf8")
      assertRefused(yield* run("one"), "one.pem exists already")
      assert.strictEqual(readFileSync(join(folder, "one-key.pem"), "utf8"), before)
      rmSync(ca.key)
      assertRefused(yield* run("two"), `${ca.key} does not`)
      for (const name of ["../x", "a b", "", "-a"]) {
        assert.strictEqual((yield* run(name)).code, 2, name)
      }
    }))

  it.scopedLive("no certificate outlives its authority", () =>
    Effect.gen(function*() {
      const { age, folder, read, run } = yield* mint
      yield* age(3640)
      assertRefused(yield* run("long"), "--days must be at most 9: the authority", 2)
      assert.isFalse(existsSync(join(folder, "long.pem")))
      ok(yield* run("short", "--days", "9"))
      assert.isTrue(Date.parse(read("short").validTo) <= Date.parse(read("ca").validTo))
      yield* age(3651)
      assertRefused(yield* run("late", "--days", "1"), "has expired. Create another one")
    }))
})
