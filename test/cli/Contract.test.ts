import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { temporaryHome } from "../databases.ts"
import type { Settings } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

/** A brain's folder with one admin, so that the audit log has rows. */
const fresh = Effect.gen(function*() {
  const home = yield* temporaryHome
  const settings: Settings = { SVC_HOME: home }
  yield* svcHere(["bootstrap-admin", "--email", "ann@example.com", "--password-stdin"], settings, {
    input: "a long password\n"
  })
  const run = (...args: ReadonlyArray<string>) => svcHere(args, settings)
  return { home, run }
})

/** What a failed command prints: nothing on standard output, one line on standard error. */
const assertRefused = (
  { code, stderr, stdout }: { readonly code: number | null; readonly stderr: string; readonly stdout: string },
  expected: number
) => {
  assert.deepStrictEqual([code, stdout], [expected, ""])
  assert.match(stderr, /^svc: [^\n]+\n$/)
}

describe("exit codes that other suites do not run through the command line", () => {
  it.scopedLive("of svc audit: keys, watermark, frozen rows and forks", () =>
    Effect.gen(function*() {
      const { home, run } = yield* fresh
      const idle = yield* run("audit", "activate-chain-state")
      assert.deepStrictEqual([idle.code, idle.stdout], [0, "no key is staged: there is nothing to activate\n"])
      const rotated = yield* run("audit", "rotate-chain-key", "--activate")
      assert.strictEqual(rotated.code, 0, rotated.stderr)
      assert.match(rotated.stdout, /^the key [0-9a-f]+ signs the audit log from now on\n$/)
      assert.strictEqual((yield* run("audit", "verify")).code, 0)
      assertRefused(yield* run("audit", "retire-chain-key", "no-such-key"), 1)
      for (const command of ["reseal-watermark", "fork-cleanup"]) {
        const { code, stderr, stdout } = yield* run("audit", command)
        assert.strictEqual(code, 0, `${command}: ${stderr}`)
        assert.match(stdout, /^[^\n]+\n$/)
      }
      const file = join(home, "frozen.jsonl")
      const moved = yield* run("audit", "export-and-delete-frozen", "--output", file)
      assert.deepStrictEqual([moved.code, moved.stdout], [0, "nothing to do: no row was signed with a retired key\n"])
      assert.strictEqual((yield* run("audit", "export-head", "--verify")).code, 0)
      assert.strictEqual((yield* run("audit", "public-key")).code, 0)
    }))

  it.scopedLive("of svc allowed-hosts, metrics-token and of words that are none", () =>
    Effect.gen(function*() {
      const { run } = yield* fresh
      const works = (...args: ReadonlyArray<string>) =>
        Effect.map(run(...args), ({ code, stderr }) => assert.strictEqual(code, 0, `${args.join(" ")}: ${stderr}`))
      yield* works("allowed-hosts", "add", "svc.example")
      yield* works("allowed-hosts", "list")
      yield* works("allowed-hosts", "path")
      yield* works("allowed-hosts", "remove", "svc.example")
      assertRefused(yield* run("allowed-hosts", "remove", "svc.example"), 1)
      assertRefused(yield* run("allowed-hosts", "add", "https://svc.example"), 2)
      yield* works("metrics-token")
      yield* works("metrics-token", "rotate")
      yield* works("config", "show")
      assert.strictEqual((yield* run("no-such-command")).code, 2)
      assert.strictEqual((yield* run("migrate", "downgrade", "x")).code, 2)
    }))
})
