import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { connected, event, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { engines } from "../../databases.ts"
import { until } from "../../until.ts"

const secondsFromNow = (seconds: number): string =>
  new Date(Date.now() + seconds * 1000).toISOString().replace("Z", "000+00:00")

describe.each(engines)("a cancelled arq job on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("is revoked where arq says that it was aborted, whatever the agent's clock; else it stays a failure", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const credentials = yield* freshAgent(project)
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const path = `/projects/${project.slug}`
        const arq = { engines: ["arq"], capabilities: { arq: ["cancel_task", "submit_task"] } }
        const agent = yield* connected({ base: yield* baseUrl, ...credentials, hello: arq })
        const report = (task_id: string, kind: string, seconds: number) =>
          Effect.promise(() =>
            agent.sendEvents([
              event({ engine: "arq", task_id, kind, occurred_at: secondsFromNow(seconds), data: { task_name: "mail" } })
            ])
          )
        const stateOf = (task_id: string) =>
          Effect.map(request("GET", `${path}/tasks/arq/${task_id}`, { token }), ({ json }) => json.state)
        const cancel = (task_id: string) =>
          Effect.gen(function*() {
            const body = { agent_id: credentials.agent_id, engine: "arq", task_id }
            const { json } = yield* request("POST", `${path}/commands/cancel-task`, { token, body })
            return yield* until(
              Effect.map(request("GET", `${path}/commands/${json.id}`, { token }), (response) => response.json),
              ({ status }) => status !== "pending" && status !== "dispatched"
            )
          })
        agent.onCommand = (command) =>
          agent.sendResult(
            command,
            command.target.id === "deaf"
              ? {
                status: "failed",
                result: { task_id: "deaf", aborted: false },
                error: "arq did not confirm that the job was aborted"
              }
              : { status: "success", result: { task_id: String(command.target.id), aborted: true } }
          )
        for (const task of ["behind", "ahead", "deaf"]) yield* report(task, "task.started", -50)
        for (const task of ["behind", "ahead"]) assert.match((yield* cancel(task)).note, /asked to stop/)
        assert.strictEqual((yield* cancel("deaf")).status, "failed")
        yield* report("behind", "task.failed", -40)
        yield* report("ahead", "task.failed", 40)
        yield* report("deaf", "task.failed", 0)
        for (const task of ["behind", "ahead"]) yield* until(stateOf(task), (state) => state === "revoked")
        assert.strictEqual(yield* stateOf("deaf"), "failure")
      }))
  })
})
