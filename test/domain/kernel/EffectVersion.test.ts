import { assert, describe, it } from "@effect/vitest"
import * as ours from "effect"
import { createRequire } from "node:module"
import { checkEffectVersion } from "../../../src/domain/kernel/EffectVersion.ts"

/** Effect's other build, loaded beside the one of this package as another version. */
const another = (version: string): typeof ours => {
  const require = createRequire(import.meta.url)
  const root = require.resolve("effect").replace(/index\.js$/, "")
  require(`${root}internal/version.js`).setCurrentVersion(version)
  return require(`${root}index.js`)
}

const warnings = async ({ Effect, Logger }: typeof ours) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void (logLevel.label === "WARN" && lines.push(String(message))))
  await Effect.runPromise(Effect.provide(checkEffectVersion, Logger.replace(Logger.defaultLogger, logger)))
  return lines
}

describe("two copies of effect", () => {
  it("of different versions are reported at start, with both versions and what to do", async () => {
    assert.deepStrictEqual(await warnings(ours), [])
    const reported = (await warnings(another("3.9.1"))).filter((line) => line.startsWith("There are two copies"))
    assert.strictEqual(reported.length, 1)
    assert.include(reported[0], "3.9.1")
    assert.include(reported[0], ours.ModuleVersion.getCurrentVersion())
    assert.include(reported[0], "npm dedupe")
  })
})
