import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cli } from "../../src/cli/scheduler/Command.ts"
import { temporaryHome } from "../databases.ts"
import { svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

/** What bash offers for the last word after the program, by a script in this folder. */
const completing = (program: string, folder: string, script: string) => {
  const file = join(folder, `${program}.bash`)
  writeFileSync(file, script)
  return (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
    const line =
      `source '${file}'; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _${program}_bash_completions ${program}; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync("bash", ["-c", line, "bash", program, ...words], { encoding: "utf8" }).split("\n").filter((
      word
    ) => word !== "")
  }
}

describe("svc --completions", () => {
  it.scoped("bash completes commands at every depth, options, and the values of a choice", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { code, stdout } = yield* svc(["--completions", "bash"], { SVC_HOME: home })
      assert.strictEqual(code, 0)
      const complete = completing("svc", home, stdout)
      assert.deepStrictEqual(complete("ta"), ["tasks"])
      assert.includeMembers([...complete("commands", "")], ["retry", "bulk-retry", "purge"])
      assert.deepStrictEqual(complete("commands", "bulk-retry", "--wa"), ["--wait"])
      assert.deepStrictEqual(complete("tasks", "list", "--json", "--st"), ["--state"])
      assert.deepStrictEqual(complete("tasks", "list", "--state", "f"), ["failure"])
      assert.deepStrictEqual(complete("bootstrap-admin", "--e"), ["--email"])
    }))

  it.scoped("bash completes svc-scheduler, whose name has a dash", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { code, stdout } = yield* svcHere(["--completions", "bash"], { SVC_HOME: home }, { cli })
      assert.strictEqual(code, 0)
      const complete = completing("svc-scheduler", home, stdout)
      assert.deepStrictEqual(complete("sta"), ["status"])
      assert.deepStrictEqual(complete("schedules", "hi"), ["history"])
      assert.deepStrictEqual(complete("schedules", "add", "--eng"), ["--engine"])
      assert.deepStrictEqual(complete("check", "--js"), ["--json"])
    }))

  it.scoped.each(["zsh", "fish"])("there is a script for %s", (shell) =>
    Effect.gen(function*() {
      const { code, stdout } = yield* svc(["--completions", shell], { SVC_HOME: yield* temporaryHome })
      assert.strictEqual(code, 0)
      assert.include(stdout, "rate-limit")
    }))
})
