import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { event, freshAgent, helloPayload } from "../agent.ts"
import { serverOn } from "../brain.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { gate } from "./gate.ts"
import { assertRefused, ok, respondToCommands, visitor } from "./remote.ts"
import { onTerminal, running, svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const hasTerminal = await has("script")

/** What would steer a terminal: C0 and C1 controls but line feeds, and what turns text around. */
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/

const hostile = "pay\u001b[31m\u001b]0;owned\u0007\u009b2J\r\n\u202eexe"

// On one database, as the program's other tests against a running brain: it speaks HTTP, and test/http/ has what is
// behind it on both.
layer(serverOn("SQLite", { commandTimeout: 6 }), { excludeTestServices: true })("svc against a brain", (it) => {
  it.scoped("prints and ends as a process of its own as it does in this one", () =>
    Effect.gen(function*() {
      const { connect, run, settings } = yield* visitor()
      const agent = yield* connect("shop")
      yield* Effect.promise(() => agent.sendEvents([event({ task_id: "t1" })]))
      const commands = [
        ["agents", "list", "--json"], // first: on a slow machine the agent is offline at the end
        ["tasks", "list"],
        ["schedules", "list"],
        ["tasks", "show", "t1", "--json"],
        ["tasks", "show", "t2"],
        ["tasks", "list", "--limit", "0"]
      ]
      const withoutTimes = (text: string) => text.replace(/ +\d+s +/g, " ").replace(/"last_seen_at":"[^"]*"/g, "")
      for (const args of commands) {
        const [here, there] = yield* Effect.all([run(...args), svc(args, settings)])
        assert.strictEqual(there.code, here.code, args.join(" "))
        assert.strictEqual(withoutTimes(there.stdout), withoutTimes(here.stdout))
        assert.strictEqual(there.stderr, here.stderr)
      }
    }))

  it.scoped("makes, lists and deletes agents; the secrets are shown once, and work", () =>
    Effect.gen(function*() {
      const { run } = yield* visitor()
      const created = ok(yield* run("agents", "create", "shop"))
      assert.match(
        created,
        /^created the agent shop \([0-9a-f-]{36}\) in project \S+\. Its token and signing secret are printed only this once\.\n/
      )
      assert.match(
        created,
        /\n {2}export Z4J_BRAIN_URL=http:\S+ Z4J_PROJECT_ID=\S+\n {2}export Z4J_TOKEN=(\S{20,})\n {2}export Z4J_HMAC_SECRET=(\S{40,})\n[^]*SVC_AGENT_TOKEN=\1\n {2}export SVC_AGENT_HMAC_SECRET=\2\n$/
      )
      const other = JSON.parse(ok(yield* run("agents", "create", "other", "--json")))
      const listed = ok(yield* run("agents", "list"))
      assert.match(listed, /^NAME +STATE +ENGINES .*\nother +offline .*\nshop +offline .*\n$/)
      assert.notInclude(listed, other.token)
      assert.lengthOf(JSON.parse(ok(yield* run("agents", "list", "--json"))), 2)
      const neverConnected = ok(yield* run("agents", "show", "shop"))
      assert.match(neverConnected, /\nconnected +unknown\nlast 24 h +·{48}\nhalf hours +█ connected, /)
      assert.deepInclude(JSON.parse(ok(yield* run("agents", "show", "shop", "--json"))).uptime, { outages: [] })
      assertRefused(yield* run("agents", "delete", "shop"), "add --yes", 2)
      ok(yield* run("agents", "delete", "shop", "--yes"))
      ok(yield* run("agents", "delete", other.agent.id.toUpperCase(), "--yes"))
      assert.deepStrictEqual(JSON.parse(ok(yield* run("agents", "list", "--json"))), [])
      assertRefused(yield* run("agents", "delete", "shop", "--yes"), "no such agent: shop")
      assertRefused(yield* run("agents", "create", ""), "name", 2)
    }))

  it.scoped("lists queues and workers as the agent's heartbeats report them", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const agent = yield* connect("shop")
      agent.heartbeat({
        "celery.broker_type": "redis",
        "celery.queue_depths": `{"mail": 7}`,
        "celery.worker_details": JSON.stringify({
          "worker@shop": { stats: { pool: { "max-concurrency": 4 } }, active: [], active_queues: [{ name: "mail" }] }
        })
      })
      const queues = yield* until(Effect.map(run("queues", "list"), ok), (text) => text.includes("mail"))
      assert.match(queues, /^NAME +ENGINE +WAITING +BROKER +SEEN\nmail +celery +7 +redis +\d+s\n$/)
      const workers = yield* until(Effect.map(run("workers", "list"), ok), (text) => text.includes("worker@shop"))
      assert.match(workers, /^NAME +ENGINE +STATE .*\nworker@shop +celery +(online|offline) .* mail /)
      assert.strictEqual(JSON.parse(ok(yield* run("queues", "list", "--json")))[0].depth, 7)
    }))

  it.scoped("shows the status of the brain at SVC_URL, by its API", () =>
    Effect.gen(function*() {
      const { base, connect, project, run, settings } = yield* visitor()
      yield* connect("shop")
      const shown = ok(yield* run("status"))
      assert.include(shown, `brain: ready at ${base}\nversion: `)
      assert.match(shown, /^database: SQLite \S+, .*, migration \d+\nhealth: /m)
      assert.include(shown, `project: ${project.slug}, healthy\nagents: 1 online\nworkers: none\ntasks: none\n`)
      assert.deepInclude(JSON.parse(ok(yield* run("status", "--json"))).brain, { url: base, status: "ready" })
      assertRefused(yield* run("status", "--rows"), "unset SVC_URL", 2)
      const keyless = yield* svcHere(["status"], { ...settings, SVC_API_KEY: "" })
      assert.match(ok(keyless), /^brain: ready at \S+\nnote: no API key: run svc login, or set SVC_API_KEY\n$/)
      assertRefused(
        yield* svcHere(["status"], { ...settings, SVC_URL: "http://127.0.0.1:9" }),
        "http://127.0.0.1:9 cannot be reached"
      )
    }))

  it.scoped("takes ids as typed, whatever they mean in a URL", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const agent = yield* connect("shop")
      const ids = ["user/234", "user/234?x=1#y", "100%", "%2e%2e", "a:b", "ü ß", "../t"]
      yield* Effect.promise(() => agent.sendEvents(ids.map((task_id) => event({ task_id }))))
      for (const id of ids) {
        assert.strictEqual(JSON.parse(ok(yield* run("tasks", "show", id, "--json"))).task_id, id)
        assert.strictEqual(JSON.parse(ok(yield* run("tasks", "why", id, "--json"))).task_id, id)
      }
      respondToCommands(agent, { status: "success", result: {} })
      ok(yield* run("commands", "retry", "user/234", "--wait"))
      ok(yield* run("commands", "cancel", "user/234", "--wait"))
      for (
        const command of [["schedules", "show"], ["commands", "show"], ["alerts", "show"], [
          "agents",
          "delete",
          "--yes"
        ]]
      ) {
        const { code, stderr } = yield* run(...command, "none/of?these#")
        assert.isAbove(code ?? 0, 0, command.join(" "))
        assert.notInclude(stderr, "is not an svc brain", command.join(" "))
      }
    }))

  it.scoped("takes the beginning or the end of an id, and lists what else it could be", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const agent = yield* connect("shop")
      const ids = ["e33d595b-d704-4999-b3f8-f29b5e7636b8", "e33d0000-d704-4999-b3f8-f29b5e76aaaa"]
      const [first = "", second = ""] = ids
      yield* Effect.promise(() => agent.sendEvents(ids.map((task_id) => event({ task_id, kind: "task.failed" }))))
      const shownId = (...args: ReadonlyArray<string>) =>
        Effect.map(run("tasks", "show", ...args, "--json"), (result) => JSON.parse(ok(result)).task_id)
      for (const part of ["e33d5", "5E7636B8", "5e76aaaa".slice(0, 6)]) {
        assert.strictEqual(yield* shownId(part), part === "5e76aa" ? second : first)
      }
      assertRefused(
        yield* run("tasks", "show", "e33d"),
        /e33d is more than one task: \S+ \(e33d\S+\), \S+ \(e33d\S+\)\. Give the id, or more of it\n$/,
        2
      )
      assertRefused(yield* run("tasks", "show", "e33"), "no such task: e33 (engine celery")
      respondToCommands(agent, { status: "success", result: {} })
      const retry = ok(yield* run("commands", "retry", "5e7636b8", "--wait"))
      assert.match(retry, /^retry_task of \S+ \([0-9a-f-]{36}\) +completed$/m)
      ok(yield* run("commands", "bulk-retry", "e33d5", second, "--wait"))
      assert.deepStrictEqual(agent.commands.map(({ parameters }) => parameters.task_id ?? parameters.filter), [
        first,
        { engine: "celery", task_ids: ids, task_names: Object.fromEntries(ids.map((id) => [id, "shop.pay"])) }
      ])
      const [command] = JSON.parse(ok(yield* run("commands", "list", "--json"))).items
      assert.include(ok(yield* run("commands", "show", command.id.slice(-8))), command.id)
      assertRefused(yield* run("commands", "show", command.id.slice(0, 4)), "retry_task of shop.pay (", 2)
      assertRefused(yield* run("commands", "show", "zzzz"), "no such command: zzzz")
      const [{ id }] = JSON.parse(ok(yield* run("agents", "list", "--json")))
      ok(yield* run("agents", "delete", id.slice(-8), "--yes"))
    }))

  it.scoped("lists and shows tasks with all their digits, and lets no control character out", () =>
    Effect.gen(function*() {
      const { connect, run, settings } = yield* visitor()
      const agent = yield* connect("shop")
      yield* Effect.promise(() =>
        agent.sendEvents([
          event({
            task_id: "t1",
            data: {
              task_name: hostile,
              queue: `q${hostile}`,
              worker: null,
              args: [12345678901234567890n],
              kwargs: { s: hostile }
            }
          }),
          event({
            task_id: "t1",
            kind: "task.failed",
            data: {
              task_name: hostile,
              exception: hostile,
              traceback: `one\n  - a  b\n\nstate     success\n\t${hostile}`
            }
          }),
          event({ task_id: "t2" })
        ])
      )
      const listed = ok(yield* run("tasks", "list"))
      assert.match(listed, /^NAME +STATE +ENGINE +QUEUE +AGE +MS +ERROR +TASK\n/)
      assert.include(listed, "pay\\x1b[31m\\x1b]0;owned\\x07\\x9b2J")
      const failed = JSON.parse(ok(yield* run("tasks", "list", "--state", "failure", "--json")))
      assert.deepStrictEqual(failed.items.map(({ task_id }: { task_id: string }) => task_id), ["t1"])
      assert.strictEqual(failed.items[0].name, hostile)
      const first = ok(yield* run("tasks", "list", "--limit", "1"))
      const cursor = /\nmore: --cursor (\S+)\n$/.exec(first)?.[1] ?? ""
      const second = ok(yield* run("tasks", "list", "--limit", "1", "--cursor", cursor))
      assert.deepStrictEqual([first, second].map((page) => / (t\d)\n/.exec(page)?.[1]).toSorted(), ["t1", "t2"])

      const shown = ok(yield* run("tasks", "show", "t1"))
      assert.match(shown, /\nargs +\[12345678901234567890\]\n/)
      assert.include(shown, "\n    one\n      - a  b\n\n    state     success\n        pay\\x1b")
      assert.deepStrictEqual(shown.match(/^state .*$/gm)?.length, 1)
      const json = ok(yield* run("tasks", "show", "t1", "--engine", "celery", "--json"))
      assert.include(json, `"args":[12345678901234567890]`)
      assert.strictEqual(JSON.parse(json).name, hostile)
      for (const text of [listed, shown, json, ok(yield* run("tasks", "list", "--json"))]) {
        assert.notMatch(text, steering)
      }

      const retriedTask = [
        ["task.received", 0],
        ["task.started", 1],
        ["task.retried", 3, { exception: "GatewayTimeout", exception_message: "no answer" }],
        ["task.started", 4],
        ["task.succeeded", 9]
      ] as const
      yield* Effect.promise(() =>
        agent.sendEvents(retriedTask.map(([kind, second, data]) =>
          event({
            task_id: "t4",
            kind,
            occurred_at: `2026-11-21T12:00:0${second}.000000+00:00`,
            data: { task_name: "pay", ...data }
          })
        ))
      )
      const retried = ok(yield* run("tasks", "show", "t4"))
      assert.match(retried, /\nqueue time +1000 ms\nrun time +7000 ms in 2 attempts\n/)
      assert.match(retried, /\n1 +failure +\S+:01\.000000Z .*GatewayTimeout: no answer\n2 +success +\S+:04\.000000Z /)

      const why = ok(yield* run("tasks", "why", "t1"))
      assert.match(why, /\nstate +failure\n/)
      assert.match(why, /\n1\. It failed: pay\\x1b.*\(ended, since /)
      assert.notMatch(why, steering)
      const reasons = JSON.parse(ok(yield* run("tasks", "why", "t2", "--engine", "celery", "--json"))).reasons
      assert.isNotEmpty(reasons)
      assertRefused(yield* run("tasks", "why", "t3"), "no such task: t3")

      // a batch each: the tasks that arrive in the same millisecond have no order
      for (const [task_id, kind, region] of [["d1", "task.succeeded", "eu0"], ["d2", "task.failed", "eu1"]] as const) {
        yield* Effect.promise(() =>
          agent.sendEvents([
            event({ task_id, kind: "task.received", data: { task_name: "differ", kwargs: { region } } }),
            event({ task_id, kind, data: { task_name: "differ", exception: hostile } })
          ])
        )
      }
      const compared = ok(yield* run("tasks", "compare", "d2"))
      assert.match(compared, /^last success +d1\n/)
      assert.match(compared, /\nDIFFERS +THIS TASK +LAST SUCCESS\n/)
      assert.match(compared, /\nkwargs\.region +eu1 +eu0\n/)
      assert.strictEqual(
        ok(yield* run("tasks", "compare", "d1")),
        "no task of this name succeeded among the last ones before it (at most 10,000)\n"
      )
      const differing = ok(yield* run("tasks", "differ", "--name", "differ"))
      assert.match(differing, /^name +differ\nfailed +1 of 1 since \S+\nsucceeded +1 of 1 since \S+\n/)
      assert.match(differing, /\nnothing is clearly more frequent among the failures\n$/)
      const ofGroup = JSON.parse(ok(yield* run("tasks", "differ", "--fingerprint", "differ", "--hours", "1", "--json")))
      assert.deepInclude(ofGroup, { name: "differ", hours: 1, differences: [] })
      assertRefused(yield* run("tasks", "differ"), "give either --name or --fingerprint", 2)

      const nameless = yield* run("tasks", "show", hostile)
      assertRefused(nameless, "no such task: pay")
      assert.notMatch(nameless.stderr, steering)
      assertRefused(yield* run("tasks", "show", "t3"), "no such task: t3 (engine celery")
      assertRefused(
        yield* run("tasks", "list", "--since", "tomorrow"),
        /^svc: --since takes a time [^\n]*not 'tomorrow'\n$/,
        2
      )
      for (const since of ["1h", "today", "yesterday"]) {
        assert.include(ok(yield* run("tasks", "list", "--since", since)), "t1")
      }
      assert.notInclude(ok(yield* run("tasks", "list", "--until", "1h")), "t1")
      assertRefused(
        yield* run("tasks", "list", "--limit", "0"),
        "--limit must be a whole number from 1 to 5000, not '0'",
        2
      )
      if (!hasTerminal) return
      const paint = "\u001b[31mfailure"
      assert.include((yield* onTerminal(["tasks", "list"], settings)).shown, paint)
      assert.notInclude((yield* onTerminal(["tasks", "list"], { ...settings, NO_COLOR: "1" })).shown, "\u001b[3")
    }))

  it.scoped("a queue is shown with its target and its pause, which are set and end by commands", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const agent = yield* connect("shop", { capabilities: { celery: ["pause_queue", "resume_queue"] } })
      agent.heartbeat({ "celery.broker_type": "redis", "celery.queue_depths": "{\"mail\":7}" })
      yield* until(Effect.map(run("queues", "list"), ok), (text) => text.includes("mail"))
      respondToCommands(agent, { status: "success", result: {} })
      assert.strictEqual(ok(yield* run("queues", "target", "mail", "30")), "mail: start within 30 s\n")
      ok(yield* run("queues", "pause", "mail", "--reason", "the bank is down", "--minutes", "30", "--wait"))
      assert.match(
        ok(yield* run("queues", "list")),
        /^NAME +ENGINE +WAITING +TARGET +PAUSE .*\nmail +celery +7 +30s +paused, the bank is down, /
      )
      const shown = ok(yield* run("queues", "show", "mail", "--window", "1h"))
      assert.match(shown, /\npause +paused, the bank is down, .*until 2/)
      assert.match(shown, /\nforecast +too few reports .*\ndepth +█\| 1h, the highest is 7\n/)
      ok(yield* run("queues", "resume", "mail", "--wait"))
      assert.isNull(JSON.parse(ok(yield* run("queues", "show", "mail", "--json"))).pause)
      assert.strictEqual(ok(yield* run("queues", "target", "mail", "0")), "mail: no target\n")
      assert.match((yield* run("queues", "show", "none")).stderr, /no such queue: none/)
    }))

  it.scoped("every command reaches the agent as it was meant, and --wait prints its outcome", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      const { capabilities } = helloPayload()
      const agent = yield* connect("shop", {
        capabilities: { celery: [...capabilities.celery, "requeue_dead_letter"] }
      })
      respondToCommands(agent, { status: "success", result: { done: 12345678901234567890n } })
      yield* Effect.promise(() => agent.sendEvents(["t1", "t2"].map((task_id) => event({ task_id }))))
      const sent = (...args: ReadonlyArray<string>) =>
        Effect.gen(function*() {
          const text = ok(yield* run("commands", ...args, "--wait", "--json"))
          const { id, status } = JSON.parse(text)
          assert.strictEqual(status, "completed")
          assert.include(text, `"result":{"done":12345678901234567890}`)
          const { action, parameters } = agent.commands.find((command) => command.id === id) ?? {}
          return { action, parameters }
        })
      const purged = yield* sent("purge", "celery", "--observed-depth", "7", "--yes")
      assert.strictEqual(purged.action, "purge_queue")
      assert.match(String(purged.parameters?.confirm_token), /^[0-9a-f]{64}$/)
      assert.strictEqual((yield* sent("purge", "celery", "--force", "--yes")).parameters?.force, true)
      const expected: ReadonlyArray<readonly [ReadonlyArray<string>, string, Record<string, unknown>]> = [
        [["retry", "t1"], "retry_task", { task_id: "t1" }],
        [["retry", "t1", "--args", "[98765432109876543210, 1]", "--kwargs", "{}", "--eta-seconds", "5"], "retry_task", {
          override_args: [98765432109876543210n, 1],
          override_kwargs: {}
        }],
        [["cancel", "t1"], "cancel_task", { task_id: "t1" }],
        [["bulk-retry", "t1", "t2"], "bulk_retry", {}],
        [["restart", "w@box"], "restart_worker", { worker_name: "w@box" }],
        [["pool-resize", "w@box", "--grow", "2"], "pool_grow", { delta: 2 }],
        [["pool-resize", "w@box", "--shrink", "3"], "pool_shrink", { delta: 3 }],
        [["add-consumer", "w@box", "mail"], "add_consumer", { queue: "mail", worker_name: "w@box" }],
        [["cancel-consumer", "w@box", "mail"], "cancel_consumer", { queue: "mail" }],
        [["rate-limit", "shop.pay", "10/m", "--worker", "w@box"], "rate_limit", {
          rate: "10/m",
          task_name: "shop.pay"
        }],
        [["requeue", "t1", "--agent", "shop"], "requeue_dead_letter", { task_id: "t1" }]
      ]
      for (const [args, action, parameters] of expected) {
        const received = yield* sent(...args)
        assert.strictEqual(received.action, action)
        assert.deepInclude(received.parameters, parameters, args.join(" "))
      }
      const bulk = agent.commands.find(({ action }) => action === "bulk_retry")?.parameters
      assert.deepInclude(bulk?.filter, { engine: "celery", task_ids: ["t1", "t2"] })
      const people = ok(yield* run("commands", "retry", "t1", "--wait"))
      assert.match(
        people,
        /^retry_task of shop\.pay \([0-9a-f-]{36}\) {2}completed\nresult {2}\{"done":12345678901234567890\}\n$/
      )
      const id = /\(([0-9a-f-]{36})\)/.exec(people)?.[1] ?? ""
      assert.match(ok(yield* run("commands", "show", id)), /\nstatus +completed\n/)
      const listed = ok(yield* run("commands", "list", "--status", "completed"))
      assert.match(listed, new RegExp(`^shop\\.pay +retry_task +completed +shop +\\d+s +${id}$`, "m"))
      assert.lengthOf(JSON.parse(ok(yield* run("commands", "list", "--limit", "2", "--json"))).items, 2)
      respondToCommands(agent, { status: "success", result: { new_task_id: "t2" } })
      ok(yield* run("commands", "retry", "t1", "--wait", "--force")) // an equal one came within ten seconds
      assert.match(ok(yield* run("tasks", "show", "t1")), /\nretried as +t2\n/)
      assert.match(ok(yield* run("tasks", "show", "t2")), /\nretried from +t1\n/)
      const again = ["commands", "restart", "w", "--idempotency-key", "k1", "--json"]
      assert.strictEqual(JSON.parse(ok(yield* run(...again))).id, JSON.parse(ok(yield* run(...again))).id)
    }))

  it.scoped("purge reads the depth, asks a person, and never guesses", () =>
    Effect.gen(function*() {
      const { connect, run, settings } = yield* visitor()
      const agent = yield* connect("shop")
      respondToCommands(agent, { status: "success" })
      assertRefused(yield* run("commands", "purge", "celery", "--yes"), "is not known", 2)
      agent.heartbeat({
        "celery.worker_details": `{"w@box":{"queues":["celery"]}}`,
        "celery.queue_depths": `{"celery": 42}`
      })
      yield* until(run("commands", "purge", "celery"), ({ stderr }) => stderr.includes("Delete 42 messages"))
      assertRefused(yield* run("commands", "purge", "celery"), "add --yes", 2)
      assert.lengthOf(agent.commands, 0)
      if (hasTerminal) {
        const confirmation = { prompt: "Delete 42 messages", typed: "n\r" }
        const { code, shown } = yield* onTerminal(["commands", "purge", "celery"], settings, confirmation)
        assert.strictEqual(code, 1, shown)
        assert.lengthOf(agent.commands, 0)
        const agreed = yield* onTerminal(["commands", "purge", "celery", "--wait"], settings, {
          ...confirmation,
          typed: "y"
        })
        assert.strictEqual(agreed.code, 0, agreed.shown)
      } else ok(yield* run("commands", "purge", "celery", "--yes", "--wait"))
      assert.match(String(agent.commands[0]?.parameters.confirm_token), /^[0-9a-f]{64}$/)
    }))

  it.scoped("the exit code of --wait says how it ended: failed, cancelled, timed out, not waited for", () =>
    Effect.gen(function*() {
      const { base, connect, run, settings } = yield* visitor()
      const agent = yield* connect("shop")
      respondToCommands(agent, { status: "failed", error: `no ${hostile}` })
      const failed = yield* run("commands", "restart", "w", "--wait")
      assertRefused(failed, /restart_worker of w \(\S+\) failed: no pay\\x1b/)
      assert.notMatch(failed.stderr, steering)
      const both = yield* run("commands", "restart", "w", "--wait", "--json")
      assert.strictEqual(both.code, 1)
      assert.strictEqual(JSON.parse(both.stdout).status, "failed")

      agent.onCommand = () => {}
      assertRefused(
        yield* run("commands", "restart", "w", "--wait"),
        "timed out: Sent, but the agent did not confirm",
        3
      )
      const waiting = yield* running(["commands", "restart", "w", "--wait"], settings)
      yield* Effect.promise(() => agent.when(() => agent.commands.length === 4))
      assert.strictEqual(yield* waiting.stop("SIGINT"), 3)
      assert.match(
        waiting.stderr(),
        /^svc: stopped waiting for restart_worker of w \(\S+\): svc commands show \S+ shows/m
      )

      const way = yield* gate(base)
      const through = yield* running(["commands", "restart", "w", "--wait"], { ...settings, SVC_URL: way.url })
      yield* Effect.promise(() => agent.when(() => agent.commands.length === 5))
      way.shut()
      agent.sendResult(agent.commands[4] ?? { id: "" }, { status: "success" })
      way.reopen()
      assert.strictEqual(yield* through.exit, 0, through.stderr())

      yield* Effect.promise(() => agent.close())
      const { id } = JSON.parse(ok(yield* run("commands", "restart", "w", "--json")))
      assert.match(ok(yield* run("commands", "withdraw", id)), /cancelled\n$/)
      assertRefused(yield* run("commands", "withdraw", id), "svc: ")
      assertRefused(yield* run("commands", "show", "nothing"), "no such command: nothing")
    }))

  it.scoped("finds the agent that serves the worker, queue or task; one that never connected is none", () =>
    Effect.gen(function*() {
      const { connect, project, run } = yield* visitor()
      yield* freshAgent(project, "never came")
      assertRefused(
        yield* run("commands", "restart", "w"),
        "no agent of the project has connected yet: start one of never came"
      )
      const waits = yield* run("commands", "restart", "w", "--agent", "never came", "--engine", "celery")
      assert.match(
        ok(waits),
        /pending\nnote +The agent "never came" has never connected\. The command waits for it until /
      )
      const one = yield* connect("one")
      const two = yield* connect("two")
      const ids = { one: randomUUID(), two: randomUUID() } // others of a second agent begin with its name
      for (const [agent, name] of [[one, "one"], [two, "two"]] as const) {
        respondToCommands(agent, { status: "success" })
        yield* Effect.promise(() =>
          agent.sendEvents([
            event({
              task_id: ids[name],
              kind: "task.started",
              data: { task_name: `shop.${name}`, queue: name, worker: `w-${name}` }
            })
          ])
        )
      }
      const commands: ReadonlyArray<ReadonlyArray<string>> = [
        ["restart", "w-two"],
        ["rate-limit", "shop.two", "1/s"],
        ["retry", ids.two],
        ["bulk-retry", ids.two],
        ["purge", "two", "--force", "--yes"]
      ]
      for (const args of commands) ok(yield* run("commands", ...args, "--wait"))
      assert.deepStrictEqual(two.commands.map(({ action }) => action), [
        "restart_worker",
        "rate_limit",
        "retry_task",
        "bulk_retry",
        "purge_queue"
      ])
      assert.deepStrictEqual(one.commands, [])
      assertRefused(
        yield* run("commands", "restart", "unheard of"),
        /name the agent with --agent: (one, two|two, one)/,
        2
      )
    }))

  it.scoped("finds the agent of a process that is beyond the first page of 500 processes", () =>
    Effect.gen(function*() {
      const { connect, project, run } = yield* visitor()
      const old = yield* connect("old", { worker_id: "oldest" }) // the list is newest first
      const busy = yield* connect("busy")
      const sql = yield* SqlClient.SqlClient
      const now = yield* Timestamp.now
      const ids = yield* Effect.replicateEffect(Ids.next, 501)
      yield* sql`INSERT INTO agent_workers ${
        sql.insert(ids.map((id, index) => ({
          id,
          agent_id: busy.id,
          project_id: project.id,
          worker_id: `process-${index}`,
          engines: "[]",
          capabilities: "{}",
          state: "offline",
          created_at: now,
          updated_at: now
        })))
      }`
      const { agent_id } = JSON.parse(ok(yield* run("commands", "restart", "oldest", "--json")))
      assert.strictEqual(agent_id, old.id)
      assertRefused(yield* run("commands", "restart", "unheard of"), /name the agent with --agent/, 2)
    }))

  it.scoped("asks for the agent and the engine only where several could be meant", () =>
    Effect.gen(function*() {
      const { connect, run } = yield* visitor()
      assertRefused(yield* run("commands", "restart", "w"), "the project has no agent")
      const celery = yield* connect("shop")
      ok(yield* run("commands", "restart", "w"))
      const rq = yield* connect("mail", { engines: ["rq"], capabilities: { rq: ["retry_task"] } })
      assertRefused(yield* run("commands", "restart", "w"), /name the agent with --agent: (mail, shop|shop, mail)/, 2)
      ok(yield* run("commands", "restart", "w", "--engine", "celery"))
      ok(yield* run("commands", "restart", "w", "--agent", celery.id))
      yield* Effect.promise(() =>
        rq.sendEvents([event({ task_id: "t1", engine: "rq" }), event({ task_id: "both", engine: "rq" })])
      )
      yield* Effect.promise(() => celery.sendEvents([event({ task_id: "both" })]))
      ok(yield* run("commands", "retry", "t1"))
      assert.strictEqual((yield* Effect.promise(() => rq.command("retry_task"))).parameters.task_id, "t1")
      assertRefused(yield* run("commands", "retry", "both"), "both have a task both: name one with --engine", 2)
      ok(yield* run("commands", "retry", "both", "--agent", "shop"))
      assertRefused(yield* run("agents", "create", "shop"), `The project has an agent "shop". Choose another name.`)
      ok(yield* run("agents", "create", "never came"))
      assertRefused(yield* run("commands", "restart", "w", "--engine", "celery", "--agent", "nobody"), "no such agent")
      ok(yield* run("commands", "restart", "w", "--engine", "celery"))
      assertRefused(yield* run("commands", "pool-resize", "w", "--agent", "mail"), "--grow or --shrink", 2)
      for (const option of ["--grow", "--shrink"]) {
        const resized = run("commands", "pool-resize", "w", "--agent", "shop", "--engine", "celery", option, "0")
        assert.include(ok(yield* resized), "the pool was left as it is")
      }
      assertRefused(
        yield* run("commands", "rate-limit", "a", "often", "--agent", "mail"),
        "rate must be a whole number",
        2
      )
      assertRefused(yield* run("commands", "bulk-retry", "--agent", "mail"), "name the tasks", 2)
      assertRefused(yield* run("commands", "retry", "t1", "--args", "[", "--kwargs", "{}"), "--args is not JSON", 2)
      assertRefused(yield* run("commands", "retry", "t1", "--args", "[]"), "--args needs --kwargs too", 2)
    }))
})
