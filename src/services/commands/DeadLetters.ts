import { Effect, Layer, Option, Schema } from "effect"
import { type DeadLetterPage, type ListDeadLetters, parseDeadLetters } from "../../domain/commands/DeadLetter.ts"
import { canonicalize } from "../../domain/kernel/CanonicalJson.ts"
import { Conflict, Unavailable, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { AgentId, CommandId, type ProjectId } from "../../domain/kernel/Id.ts"
import { decodeCursor, encodeCursor } from "../../domain/kernel/Page.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { makeDeadLettersRepo } from "./DeadLetters/Repo.ts"
import { CommandDispatch } from "./Dispatch.ts"
import { makeQuestionCommand } from "./QuestionCommand.ts"
import { CommandsRepo } from "./Repo.ts"
import { rateFitness } from "./Routing.ts"

/** Seconds that an agent has for its result: it ends a call to its broker after 10 (the agents' protocol, section 5.1). */
const timeoutSeconds = 15

const noResult = new Unavailable({
  code: "agent_no_answer",
  detail: `The agent did not answer within ${timeoutSeconds} seconds. It may be busy with another command. Try again.`
})

const agentOffline = new Conflict({
  code: "agent_offline",
  detail: "No connected agent serves this engine. Start one, then repeat the request."
})

const unsupported = new Conflict({
  code: "dead_letters_unsupported",
  detail: "The connected agents of this engine cannot list dead letters. Agents of rq, dramatiq and BullMQ, and of " +
    "Effect queues, can."
})

/** Milliseconds between two polls for the result: an agent on the same machine sends it within milliseconds. */
const minPauseMillis = 10
const maxPauseMillis = 320

const invalidCursor = ValidationFailed.at("cursor", "is not a cursor of this list")

/** The agent and its own cursor: a cursor of one agent means nothing to another. */
const decodePlace = (
  { agent_id, cursor }: ListDeadLetters
): Effect.Effect<{ readonly agentId: AgentId | null; readonly cursor: string | null }, ValidationFailed> => {
  if (cursor === undefined) return Effect.succeed({ agentId: agent_id ?? null, cursor: null })
  const [agentId, agentCursor] = decodeCursor("dead-letters", cursor, 2) ?? []
  if (agentCursor === undefined || !isAgentId(agentId) || (agent_id ?? agentId) !== agentId) return invalidCursor
  return Effect.succeed({ agentId, cursor: agentCursor })
}

const isAgentId = Schema.is(AgentId)

/**
 * The dead letters of an engine, read by its agent at the moment of the request. The question is a command without an
 * audit row, since it changes nothing; any replica may hold the agent's connection. A question is deleted once its
 * result was read.
 */
export class DeadLetters extends Effect.Service<DeadLetters>()("svc/DeadLetters", {
  effect: Effect.gen(function*() {
    const repo = yield* makeDeadLettersRepo
    const commands = yield* CommandsRepo
    const dispatch = yield* CommandDispatch

    /** The agent to ask: with a process that lists dead letters, or else with one whose capabilities are unknown. */
    const findAgent = Effect.fnUntraced(function*(projectId: ProjectId, engine: string, agentId: AgentId | null) {
      const known = yield* repo.listAgentEngines(projectId, engine, agentId)
      if (!known.includes(engine)) {
        return yield* ValidationFailed.at(
          "engine",
          agentId === null ? "is an engine that no agent of the project serves" : "is no engine of this agent"
        )
      }
      const candidates = (yield* repo.listProcesses(projectId, engine, agentId)).flatMap(({ agent_id, process }) => {
        const fitness = rateFitness({ action: "dlq.list", agent_id, engine, target_id: null }, process)
        return fitness === null ? [] : [{ agent_id, fitness }]
      })
      if (candidates.length === 0) return yield* agentOffline
      const [best] = candidates.filter(({ fitness }) => fitness < 3).toSorted((a, b) => a.fitness - b.fitness)
      return best?.agent_id ?? (yield* unsupported)
    })

    const ask = Effect.fnUntraced(
      function*(agentId: AgentId, { cursor = null, engine, limit = 100, queue }: {
        readonly engine: string
        readonly queue: string | null
        readonly limit?: number | undefined
        readonly cursor?: string | null | undefined
      }) {
        const project = yield* CurrentProject
        const actor = yield* CurrentActor
        const [id, now] = [yield* Ids.nextOf(CommandId), yield* Timestamp.now]
        yield* commands.insert([makeQuestionCommand({
          id,
          project_id: project.id,
          agent_id: agentId,
          issued_by: actor.kind === "person" ? actor.user_id : null,
          action: "dlq.list",
          engine,
          target_type: "queue",
          target_id: queue,
          payload: canonicalize({ queue, limit, cursor }),
          issued_at: now
        }, timeoutSeconds)])
        yield* dispatch.notify(agentId)
        return id
      }
    )

    /** The ended command; suspends until it has ended. */
    const awaitEnd = Effect.fnUntraced(function*(projectId: ProjectId, id: CommandId) {
      for (let pause = minPauseMillis;; pause = Math.min(2 * pause, maxPauseMillis)) {
        const command = Option.getOrNull(yield* commands.findById(projectId, id))
        if (command !== null && command.completed_at !== null) return command
        yield* Effect.sleep(pause)
      }
    })

    const list = Effect.fn("DeadLetters.list")(function*(query: ListDeadLetters) {
      const { engine, limit } = query
      const queue = query.queue === undefined || query.queue === "" ? null : query.queue
      const place = yield* decodePlace(query)
      const project = yield* CurrentProject
      const agentId = yield* findAgent(project.id, engine, place.agentId)
      const id = yield* ask(agentId, { engine, queue, limit, cursor: place.cursor })
      const ended = Option.getOrNull(
        yield* Effect.timeoutOption(awaitEnd(project.id, id), `${timeoutSeconds + 1} seconds`)
      )
      if (ended === null || (ended.status !== "completed" && ended.status !== "failed")) return yield* noResult
      yield* repo.deleteQuestion(id)
      const page = ended.result === null || ended.status === "failed" ? null : parseDeadLetters(ended.result, queue)
      if (page === null) {
        return yield* new Conflict({
          code: "agent_refused",
          detail: `The agent could not list the dead letters: ${ended.error ?? "its answer has no list"}`
        })
      }
      const next_cursor = page.next_cursor === null ? null : encodeCursor("dead-letters", [agentId, page.next_cursor])
      return { ...page, engine, agent_id: agentId, next_cursor } satisfies DeadLetterPage
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([CommandDispatch.layer, CommandsRepo.layer])
  )
}
