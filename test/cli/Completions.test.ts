import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { temporaryHome } from "../databases.ts"
import { svc } from "./svc.ts"

describe("svc --completions", () => {
  it.scoped("bash completes commands at every depth, options, and the values of a choice", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const { code, stdout } = yield* svc(["--completions", "bash"], { SVC_HOME: home })
      assert.strictEqual(code, 0)
      const file = join(home, "svc.bash")
      writeFileSync(file, stdout)
      const complete = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
        const line =
          `source '${file}'; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc_bash_completions svc; printf '%s\\n' "\${COMPREPLY[@]}"`
        return execFileSync("bash", ["-c", line, "bash", "svc", ...words], { encoding: "utf8" }).split("\n").filter((
          word
        ) => word !== "")
      }
      assert.deepStrictEqual(complete("ta"), ["tasks"])
      assert.includeMembers([...complete("commands", "")], ["retry", "bulk-retry", "purge"])
      assert.deepStrictEqual(complete("commands", "bulk-retry", "--wa"), ["--wait"])
      assert.deepStrictEqual(complete("tasks", "list", "--json", "--st"), ["--state"])
      assert.deepStrictEqual(complete("tasks", "list", "--state", "f"), ["failure"])
      assert.deepStrictEqual(complete("bootstrap-admin", "--e"), ["--email"])
    }))

  it.scoped.each(["zsh", "fish"])("there is a script for %s", (shell) =>
    Effect.gen(function*() {
      const { code, stdout } = yield* svc(["--completions", shell], { SVC_HOME: yield* temporaryHome })
      assert.strictEqual(code, 0)
      assert.include(stdout, "rate-limit")
    }))
})
