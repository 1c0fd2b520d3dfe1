import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { ensureKeyFile } from "../../../src/layers/KeyFiles.ts"
import { makeTemporaryPath, replaceFile } from "../../../src/services/kernel/ReplaceFile.ts"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { settingsOn } from "../../databases.ts"

/** What a process leaves that is killed while it replaces the file. */
const leaveBehind = (path: string, ageSeconds: number): string => {
  const leftover = makeTemporaryPath(path)
  writeFileSync(leftover, "half", { mode: 0o600 })
  utimesSync(leftover, Date.now() / 1000 - ageSeconds, Date.now() / 1000 - ageSeconds)
  return basename(leftover)
}

const home = Effect.map(Settings, ({ home }) => home)
const filesOf = (home: string, name: string) => readdirSync(home).filter((file) => file.startsWith(name)).sort()

describe("files that are replaced", () => {
  it.scopedLive("keep no temporary file of a killed process, and that of a running one", () =>
    Effect.gen(function*() {
      const path = join(yield* home, "position")
      leaveBehind(path, 120)
      const inUse = leaveBehind(path, 1)
      const ofAnotherFile = leaveBehind(`${path}-2`, 120)
      yield* replaceFile({ path, text: "whole" })
      assert.strictEqual(readFileSync(path, "utf8"), "whole")
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      assert.deepStrictEqual(filesOf(yield* home, "position"), ["position", ofAnotherFile, inUse].sort())
    }).pipe(Effect.provide(settingsOn("SQLite"))))

  it.scopedLive("stay as they were when the check before the rename fails", () =>
    Effect.gen(function*() {
      const path = join(yield* home, "position")
      writeFileSync(path, "old")
      yield* Effect.flip(replaceFile({ path, text: "new", beforeRename: () => Effect.fail("the lease is lost") }))
      assert.strictEqual(readFileSync(path, "utf8"), "old")
      assert.deepStrictEqual(filesOf(yield* home, "position"), ["position"])
    }).pipe(Effect.provide(settingsOn("SQLite"))))

  it.scopedLive("a start removes copies of a key that a killed process left", () =>
    Effect.gen(function*() {
      const path = join(yield* home, "test-key")
      yield* ensureKeyFile(path)
      leaveBehind(path, 120)
      yield* ensureKeyFile(path)
      assert.deepStrictEqual(filesOf(yield* home, "test-key"), ["test-key"])
    }).pipe(Effect.provide(settingsOn("SQLite"))))
})
