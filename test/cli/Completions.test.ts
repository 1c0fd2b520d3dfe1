import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { completionScript, shells, splitLine } from "../../src/cli/program/CompletionScripts.ts"
import { cli as scheduler } from "../../src/cli/scheduler/Command.ts"
import { event } from "../agent.ts"
import { serverOn } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { assertRefused, ok, visitor } from "./remote.ts"
import type { Settings } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const offline: Settings = { SVC_HOME: "/no/such/folder", SVC_URL: "http://127.0.0.1:9", SVC_API_KEY: "svk_x" }

/** The values that are offered for the last word. */
const offered = (settings: Settings, words: ReadonlyArray<string>, cli?: typeof scheduler) =>
  Effect.map(svcHere(["__complete", "words", ...words], settings, cli === undefined ? {} : { cli }), (ran) => {
    assert.strictEqual(ran.stderr, "")
    return ok(ran).split("\n").filter((line) => line !== "").map((line) => line.split("\t")[0])
  })

describe("completions without a brain", () => {
  it.effect("are commands at every depth, options, and the values of a choice", () =>
    Effect.gen(function*() {
      const complete = (...words: ReadonlyArray<string>) => offered(offline, words)
      assert.deepStrictEqual(yield* complete("ta"), ["tasks"])
      assert.includeMembers([...(yield* complete("commands", ""))], ["retry", "bulk-retry", "purge"])
      assert.deepStrictEqual(yield* complete("commands", "bulk-retry", "--wa"), ["--wait"])
      assert.deepStrictEqual(yield* complete("tasks", "list", "--json", "--st"), ["--state"])
      assert.deepStrictEqual(yield* complete("tasks", "list", "--json", "--js"), [], "an option that was given")
      assert.deepStrictEqual(yield* complete("api-keys", "create", "k", "--scope", "a", "--sc"), ["--scope"])
      assert.deepStrictEqual(yield* complete("tasks", "list", "--state", "f"), ["failure"])
      assert.deepStrictEqual(yield* complete("tasks", "list", "--state=f"), ["--state=failure"])
      assert.deepStrictEqual(yield* complete("bootstrap-admin", "--e"), ["--email"])
      assert.deepStrictEqual(yield* complete("completion", ""), [...shells])
      assert.deepStrictEqual(yield* complete("no-such-command", ""), [])
      assert.include(
        ok(yield* svcHere(["__complete", "words", "tasks", "li"], offline)),
        "list\tList tasks, newest first."
      )
    }))

  it.effect("of names are empty and silent while the brain is away, or without a key", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* offered(offline, ["tasks", "list", "--queue", ""]), [])
      assert.deepStrictEqual(yield* offered({ SVC_HOME: "/no/such/folder" }, ["schedules", "pause", ""]), [])
    }))

  it.effect("of svc-scheduler are its own commands", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* offered(offline, ["sta"], scheduler), ["status"])
      assert.deepStrictEqual(yield* offered(offline, ["schedules", "add", "--eng"], scheduler), ["--engine"])
      assert.match(
        ok(yield* svcHere(["completion", "bash"], offline, { cli: scheduler })),
        /-F _svc_scheduler svc-scheduler\n$/
      )
    }))

  it("read a line of a shell as its words", () => {
    assert.deepStrictEqual(splitLine("svc schedules  pause "), ["svc", "schedules", "pause", ""])
    assert.deepStrictEqual(splitLine("svc pause nightly\\ sales\\ re"), ["svc", "pause", "nightly sales re"])
    assert.deepStrictEqual(splitLine("svc pause \"nightly sa"), ["svc", "pause", "nightly sa"])
    assert.deepStrictEqual(splitLine("svc 'a\\b' ''"), ["svc", "a\\b", ""])
  })

  it.effect("have a script for each shell, and --completions names the command that prints it", () =>
    Effect.gen(function*() {
      for (const shell of shells) {
        assert.strictEqual(ok(yield* svcHere(["completion", shell], offline)), `${completionScript("svc", shell)}\n`)
      }
      assertRefused(yield* svcHere(["--completions", "bash"], offline), "svc completion prints", 2)
    }))
})

layer(serverOn("SQLite"), { excludeTestServices: true })("completions with a brain", (it) => {
  it.scoped("are names of projects, agents, queues, schedules and tasks", () =>
    Effect.gen(function*() {
      const { connect, project, run, settings } = yield* visitor()
      const agent = yield* connect("shop")
      yield* Effect.promise(() => agent.sendEvents([event({ task_id: "t1", kind: "task.failed" })]))
      for (const name of ["nightly report", "nightly\u001b[31m"]) {
        ok(yield* run("schedules", "add", name, "@daily", "--engine", "celery", "--task", "shop.report"))
      }
      const complete = (...words: ReadonlyArray<string>) => offered(settings, words)
      assert.deepStrictEqual(yield* complete("tasks", "list", "--project", ""), [project.slug])
      assert.deepStrictEqual(yield* complete("agents", "delete", "sh"), ["shop"])
      assert.deepStrictEqual(yield* complete("commands", "retry", "t1", "--agent=s"), ["--agent=shop"])
      assert.deepStrictEqual(yield* complete("schedules", "pause", "nig"), ["nightly report"])
      assert.deepStrictEqual(yield* complete("schedules", "add", "x", "@daily", "--engine", ""), ["celery"])
      assert.deepStrictEqual(yield* complete("--project", project.slug, "schedules", "pause", "nig"), [])
      assert.deepStrictEqual(
        yield* offered({ ...settings, SVC_PROJECT: "other" }, ["schedules", "pause", "--project", project.slug, "nig"]),
        ["nightly report"]
      )
      assert.deepStrictEqual(
        yield* complete("subscriptions", "create", "task.failed", "--project-channel", "ops", "--queue", ""),
        ["celery"],
        "another option that begins as --project does"
      )
    }))

  it.scoped("reach bash quoted, after the characters at which it splits words, and are never run by it", () =>
    Effect.gen(function*() {
      const { run } = yield* visitor()
      const home = yield* temporaryHome
      const trap = join(home, "ran")
      for (const name of ["nightly report", `evil $(touch ${trap})`, "shop:daily"]) {
        ok(yield* run("schedules", "add", name, "@daily", "--engine", "celery", "--task", "shop.report"))
      }
      writeFileSync(join(home, "svc.bash"), completionScript("svc", "bash"))
      // the program's own output, without the start of a process for each
      writeFileSync(join(home, "svc"), `#!/bin/sh\ncat '${home}/candidates'\n`)
      chmodSync(join(home, "svc"), 0o755)
      const script = `source '${home}/svc.bash'; COMP_LINE=$1; COMP_POINT=\${#1}; COMP_WORDS=("$2"); COMP_CWORD=0; ` +
        `_svc svc "$2"; printf '%s\\n' "\${COMPREPLY[@]}"`
      const complete = (line: string, word: string) =>
        Effect.map(run("__complete", "bash", word, line), (candidates): ReadonlyArray<string> => {
          writeFileSync(join(home, "candidates"), ok(candidates))
          const env = { PATH: `${home}:${process.env.PATH}` }
          return execFileSync("bash", ["-c", script, "bash", line, word], { encoding: "utf8", env }).trim().split("\n")
        })
      assert.deepStrictEqual(yield* complete("svc schedules pause nig", "nig"), ["nightly\\ report"])
      assert.deepStrictEqual(yield* complete("svc schedules pause \"nightly r", "\"nightly r"), ["nightly report"])
      assert.deepStrictEqual(yield* complete("svc schedules pause shop:d", "d"), ["daily"])
      assert.deepStrictEqual(yield* complete("svc schedules pause evil", "evil"), [`evil\\ \\$\\(touch\\ ${trap}\\)`])
      assert.deepStrictEqual(yield* complete("svc schedules pause \"evil", "\"evil"), [""])
      assert.isFalse(existsSync(trap))
    }))
})
