import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { freshAgent } from "../agent.ts"
import { freshKey, request, serverOn } from "../brain.ts"
import { assertRefused, ok, visitor } from "./remote.ts"
import { svcHere } from "./svcHere.ts"

layer(serverOn("SQLite"), { excludeTestServices: true })("svc approvals", (it) => {
  it.scoped("shows what waits, and lets another person approve or reject it", () =>
    Effect.gen(function*() {
      const { project, run, settings, token } = yield* visitor()
      const { agent_id } = yield* freshAgent(project)
      const second = yield* freshKey({ roles: { [project.id]: "admin" } })
      const other = (...args: ReadonlyArray<string>) => svcHere(args, { ...settings, SVC_API_KEY: second.token })
      const approvals = { purge: true, bulk_over: null, destructive_rules: false }
      const path = `/projects/${project.slug}`
      assert.strictEqual((yield* request("PATCH", path, { token, body: { approvals } })).status, 200)
      const hold = Effect.fnUntraced(function*(queue: string) {
        const body = { agent_id, queue, engine: "celery", observed_depth: 7 }
        const { json } = yield* request("POST", `${path}/commands/purge-queue`, { token, body })
        return String(json.details.approval_id)
      })

      const slow = yield* hold("slow")
      assert.match(ok(yield* run("approvals", "list", "--status", "pending")), /^Purge the queue slow +pending /m)
      assert.match(ok(yield* run("approvals", "show", slow)), /kind +purge_queue\n(.*\n)*request +\{.*"queue":"slow"/)
      assertRefused(yield* run("approvals", "approve", slow), "Another admin of the project must decide")
      assert.strictEqual(ok(yield* other("approvals", "approve", slow)), "approved and done: Purge the queue slow\n")
      assert.match(ok(yield* run("approvals", "show", slow)), /result +\{.*"type":"command"/)
      assertRefused(yield* other("approvals", "approve", slow), "The approval was decided already")

      const mail = yield* hold("mail")
      assert.strictEqual(
        ok(yield* other("approvals", "reject", mail, "--reason", "wrong queue")),
        "rejected: Purge the queue mail\n"
      )
      assert.match(ok(yield* run("approvals", "show", mail)), /reason +wrong queue/)
      assertRefused(yield* run("approvals", "show", project.id), "No such approval")

      const pending = yield* request("PATCH", path, { token, body: { approvals: null } })
      const policy = String(pending.json.details.approval_id)
      assert.match(
        ok(yield* run("approvals", "show", policy)),
        /before +\{.*\nafter +\{.*"approvals":null.*\nrevision +[0-9a-f]{16}/
      )
      yield* request("PATCH", path, { token, body: { name: "other" } })
      assertRefused(
        yield* other("approvals", "approve", policy),
        "What this changes has changed since it was requested"
      )
    }))
})
