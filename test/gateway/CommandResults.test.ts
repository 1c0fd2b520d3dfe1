import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { CommandAction } from "../../src/domain/commands/Command.ts"
import { system } from "../../src/domain/kernel/Actor.ts"
import * as Json from "../../src/domain/kernel/CanonicalJson.ts"
import { Commands } from "../../src/services/commands/Commands.ts"
import { CurrentActor, CurrentProject } from "../../src/services/kernel/CurrentActor.ts"
import { connected, freshAgent } from "../agent.ts"
import { baseUrl, freshProject, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { recordedResults } from "../protocol/Vectors.ts"
import { until } from "../until.ts"

// the cast: agents take actions too that this brain never asks for
const actionOf = (command: Json.JsonObject) => (Json.asString(command.get("action")) ?? "") as CommandAction

const objectOf = (node: Json.JsonNode | undefined): Json.JsonObject => {
  assert.instanceOf(node, Json.JsonObject)
  return node
}

const parametersOf = (command: Json.JsonObject): Json.JsonObject => objectOf(command.get("parameters"))

const expected = recordedResults.map(({ result }) => {
  const outcome = result.get("result")
  return {
    status: Json.asString(result.get("status")) === "success" ? "completed" : "failed",
    // one recorded result holds a secret that its agent did not mask
    result: outcome instanceof Json.JsonObject ? outcome.text.replace("token=abc", "token=[REDACTED]") : null,
    error: Json.asString(result.get("error")) ?? null
  }
})

describe.each(laneEngines)("the recorded commands on %s", (engine) => {
  layer(serverOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("reach an agent with their parameters, and its recorded results are what people see", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const credentials = yield* freshAgent(project)
        const commands = yield* Commands
        const capabilities = { celery: recordedResults.map(({ command }) => actionOf(command)) }
        const agent = yield* connected({ base: yield* baseUrl, ...credentials, hello: { capabilities } })
        const inProject = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
          effect.pipe(
            Effect.provideService(CurrentActor, system("test")),
            Effect.provideService(CurrentProject, project)
          )

        const issued = yield* Effect.forEach(recordedResults, ({ command }) => {
          const { keys, values } = parametersOf(command)
          return inProject(commands.issue({
            agent_id: credentials.agent_id,
            action: actionOf(command),
            engine: "celery",
            target_type: "task",
            target_id: null,
            parameters: Object.fromEntries(keys.map((key, index) => [key, Json.toCanonicalText(values[index]!)])),
            timeout_seconds: 600
          }))
        })
        yield* Effect.promise(() =>
          agent.when(() => agent.commands.length === issued.filter(({ status }) => status !== "failed").length)
        )
        for (const [index, { command, result }] of recordedResults.entries()) {
          const { id, status } = issued[index]!
          if (status === "failed") continue // the brain refuses what is certain to fail, such as a purge without a token
          const received = agent.commands.find((one) => one.id === id)
          assert.deepStrictEqual(received?.action, actionOf(command))
          assert.deepStrictEqual<unknown>(received?.parameters, Json.toValue(parametersOf(command)))
          agent.signed("command_result", result, { id })
        }
        const seen = yield* until(
          Effect.forEach(issued, ({ id }) => inProject(commands.get(id))),
          (rows) => rows.every(({ status }) => status === "completed" || status === "failed")
        )
        const reached = seen.map(({ error, result, status }) => ({ status, result, error })).filter((_, index) =>
          issued[index]!.status !== "failed"
        )
        assert.deepStrictEqual(reached, expected.filter((_, index) => issued[index]!.status !== "failed"))
      }))
  })
})
