import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { link, rename } from "node:fs/promises"
import { join } from "node:path"
import { DestinationExists, type Naming, writeNewFile } from "../../../../src/services/operations/Backup/NewFile.ts"
import { temporaryHome } from "../../../databases.ts"

/** A file system that refuses these calls, and else the real one: the machine that runs the tests may have hard links. */
const refusing = (codes: { readonly link?: string; readonly rename?: string }): Naming => {
  const refuse = (code: string) => Promise.reject(Object.assign(new Error(`${code}: refused`), { code }))
  return {
    link: (existing, name) => (codes.link === undefined ? link(existing, name) : refuse(codes.link)),
    rename: (from, to) => (codes.rename === undefined ? rename(from, to) : refuse(codes.rename))
  }
}

async function* content(text: string) {
  yield Buffer.from(text)
}

const write = (path: string, bytes: AsyncIterable<Uint8Array>, naming: Naming) => writeNewFile(path, bytes, naming)
const failureOf = (path: string, bytes: AsyncIterable<Uint8Array>, naming: Naming) =>
  write(path, bytes, naming).catch((error: unknown) => error)

describe("the file of a backup where there are no hard links", () => {
  it.scopedLive("appears complete, and never replaces one", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      yield* Effect.promise(async () => {
        for (const code of ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]) {
          const naming = refusing({ link: code })
          const path = join(folder, code)
          assert.strictEqual(await write(path, content("whole"), naming), 5)
          assert.strictEqual(readFileSync(path, "utf8"), "whole")
          assert.strictEqual(statSync(path).mode & 0o777, 0o600)
          // another process creates the file while this one writes
          const late = join(folder, `${code}-late`)
          async function* racing() {
            writeFileSync(late, "first")
            yield Buffer.from("second")
          }
          assert.instanceOf(await failureOf(late, racing(), naming), DestinationExists)
          assert.strictEqual(readFileSync(late, "utf8"), "first")
        }
        const before = readdirSync(folder)
        assert.lengthOf(before, 10)
        // a failure leaves neither the empty file nor the partial one
        for (const codes of [{ link: "EPERM", rename: "EIO" }, { link: "EIO" }]) {
          assert.include(await failureOf(join(folder, "failed"), content("x"), refusing(codes)), { code: "EIO" })
        }
        assert.deepStrictEqual(readdirSync(folder), before)
      })
    }))
})
