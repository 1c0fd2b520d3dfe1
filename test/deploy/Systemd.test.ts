import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { settingDefinitions } from "../../src/services/kernel/Settings.ts"
import type { Setting } from "../../src/services/kernel/Settings/Kinds.ts"

const folder = join(import.meta.dirname, "../../deploy/systemd")
const program = "/opt/svc/node_modules/.bin/svc"

const hasSystemd = (() => {
  try {
    execFileSync("systemd-analyze", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    console.warn("skipped: systemd-analyze is not on this machine (Debian's package systemd)")
    return false
  }
})()

/** The unit with a program that exists here: `verify` checks that it exists. */
const installedUnit = Effect.acquireRelease(
  Effect.sync(() => {
    const temporary = mkdtempSync(join(tmpdir(), "svc-systemd-"))
    const unit = readFileSync(join(folder, "svc.service"), "utf8")
    assert.include(unit, `ExecStart=${program} serve`)
    const path = join(temporary, "svc.service")
    writeFileSync(path, unit.replace(program, process.execPath).replace(/^Documentation=.*$/m, ""))
    return { path, temporary }
  }),
  ({ temporary }) => Effect.sync(() => rmSync(temporary, { recursive: true, force: true }))
)

const analyze = (...args: ReadonlyArray<string>) =>
  execFileSync("systemd-analyze", [...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

describe("the systemd unit", () => {
  it.scopedLive.skipIf(!hasSystemd)(
    "systemd-analyze verifies it and rates its exposure 1.5 or less",
    () =>
      Effect.gen(function*() {
        const { path } = yield* installedUnit
        assert.strictEqual(analyze("verify", "--man=no", path), "")
        const [, level = "10"] = /exposure level for svc\.service: ([\d.]+)/.exec(
          analyze("security", "--offline=true", path)
        ) ?? []
        assert.isAtMost(Number(level), 1.5)
      })
  )

  it("the example of its settings has names and values of settings only", () => {
    const example = readFileSync(join(folder, "svc.env.example"), "utf8").replace(/^#(?=SVC_)/gm, "")
    // the values differ in the type of what they parse only
    const definitions = Object.values(settingDefinitions) as ReadonlyArray<Setting<unknown>>
    const lines = [...example.matchAll(/^(\w+)=(.*)$/gm)]
    assert.isAtLeast(lines.length, 4)
    for (const [line, name, value = ""] of lines) {
      const setting = definitions.find((one) => one.name === name)
      assert.isTrue(setting !== undefined && Either.isRight(setting.parse(value)), line)
    }
  })
})
