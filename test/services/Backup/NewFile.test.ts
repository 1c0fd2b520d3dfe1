import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import type * as Promises from "node:fs/promises"
import { join } from "node:path"
import { vi } from "vitest"
import { DestinationExists, writeNewFile } from "../../../src/services/Backup/NewFile.ts"
import { temporaryHome } from "../../databases.ts"

const refusals = vi.hoisted(() => ({ link: "", rename: "" }))

/** A file system without hard links: the machine that runs the tests may have none. */
vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof Promises>()
  const refuse = (code: string) => Promise.reject(Object.assign(new Error(`${code}: refused`), { code }))
  return {
    ...original,
    link: (from: string, to: string) => (refusals.link === "" ? original.link(from, to) : refuse(refusals.link)),
    rename: (from: string, to: string) => refusals.rename === "" ? original.rename(from, to) : refuse(refusals.rename)
  }
})

async function* content(text: string) {
  yield Buffer.from(text)
}

const write = (path: string, bytes: AsyncIterable<Uint8Array>) =>
  writeNewFile(path, bytes, new AbortController().signal)
const failureOf = (path: string, bytes: AsyncIterable<Uint8Array>) =>
  write(path, bytes).catch((error: unknown) => error)

describe("the file of a backup where there are no hard links", () => {
  it.scopedLive("appears complete, and never replaces one", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      yield* Effect.promise(async () => {
        for (const code of ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]) {
          Object.assign(refusals, { link: code, rename: "" })
          const path = join(folder, code)
          assert.strictEqual(await write(path, content("whole")), 5)
          assert.strictEqual(readFileSync(path, "utf8"), "whole")
          assert.strictEqual(statSync(path).mode & 0o777, 0o600)
          // another process creates the file while this one writes
          const late = join(folder, `${code}-late`)
          async function* racing() {
            writeFileSync(late, "first")
            yield Buffer.from("second")
          }
          assert.instanceOf(await failureOf(late, racing()), DestinationExists)
          assert.strictEqual(readFileSync(late, "utf8"), "first")
        }
        const before = readdirSync(folder)
        assert.lengthOf(before, 10)
        // a failure leaves neither the empty file nor the partial one
        Object.assign(refusals, { link: "EPERM", rename: "EIO" })
        assert.include(await failureOf(join(folder, "failed"), content("x")), { code: "EIO" })
        Object.assign(refusals, { link: "EIO", rename: "" })
        assert.include(await failureOf(join(folder, "failed"), content("x")), { code: "EIO" })
        assert.deepStrictEqual(readdirSync(folder), before)
      })
    }))
})
