import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { Conflict } from "../../domain/kernel/Errors.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { auditEntry } from "../audit/Row.ts"
import { Commands } from "../commands/Commands.ts"
import { EngineAgents } from "../commands/EngineAgents.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Settings } from "../kernel/Settings.ts"
import { fireAction, makeFireIntent } from "./FireCommand.ts"

/** Submits the task of a schedule now, by a command. No fire is recorded, and the cursor stays (interface, Schedules). */
export const makeManualFires = Effect.gen(function*() {
  const agents = yield* AgentsRepo
  const engineAgents = yield* EngineAgents
  const commands = yield* Commands
  const { commandTimeout } = yield* Settings

  /** An online agent that takes fires of the engine, else an agent that has served the engine. */
  const findAgent = Effect.fnUntraced(function*(engine: string) {
    const project = yield* CurrentProject
    const online = (yield* engineAgents.chooseIn(project.id, fireAction))(engine)
    if (online !== null) return online
    const offline = (yield* agents.list(project.id)).find(({ engine_adapters }) => engine_adapters.includes(engine))
    if (offline !== undefined) return offline.id
    return yield* new Conflict({
      code: "no_agent",
      detail: `No agent of the project serves ${engine}. Connect one, then trigger the schedule again.`
    })
  })

  return Effect.fnUntraced(function*(schedule: Schedule) {
    const { engine, id, name, project_id } = schedule
    return yield* commands.issue({
      ...makeFireIntent(schedule, {
        agent_id: yield* findAgent(engine),
        fire_id: randomUUID(),
        scheduled_for: null,
        timeout_seconds: commandTimeout
      }),
      cause: auditEntry("schedule.trigger_now", "schedule", id, { project_id, metadata: { name } })
    })
  })
})
