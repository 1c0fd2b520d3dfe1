import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Option, Stream } from "effect"
import { BulkRetryRequest } from "../../domain/Command/Requests.ts"
import { decodeInput } from "../DecodeInput.ts"
import { reportersOfTask } from "../Reporters.ts"
import { Refused } from "../Explain.ts"
import { issue, type IssueOptions, idempotencyKeyOf } from "../Issue.ts"
import type { Remote } from "../Remote.ts"
import { resolveAgentAndEngine, listAgents, enginesOf } from "../Target.ts"

interface Options extends IssueOptions {
  readonly tasks: ReadonlyArray<string>
  readonly tasksStdin: boolean
  readonly engine: Option.Option<string>
  readonly max: number
}

/** Far above ten thousand ids of 200 characters. */
const maxCharacters = 8_000_000

const readTaskIds = NodeStream.stdin.pipe(
  Stream.decodeText(),
  Stream.runFoldWhile("", (read) => read.length <= maxCharacters, (read, chunk) => read + chunk),
  Effect.mapError(() => new Refused({ message: "standard input cannot be read" })),
  Effect.map((read) => read.split(/\r?\n/).filter((line) => line !== ""))
)

const noTasks = new Refused({ usage: true, message: "name the tasks, or give their ids on standard input with --tasks-stdin" })

/** Who reported the first task stands for all. Without an engine each engine that an agent serves is asked for it. */
const reportersOfFirst = (remote: Remote, task: string, engine: Option.Option<string>) =>
  Effect.flatMap(Option.match(engine, {
    onNone: () => Effect.map(listAgents(remote), enginesOf),
    onSome: (engine) => Effect.succeed([engine])
  }), (engines) => Effect.map(Effect.forEach(engines, (engine) => reportersOfTask(remote, engine, task)), (found) => found.flat()))

export const run = (options: Options) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const task_ids = [...options.tasks, ...(options.tasksStdin ? yield* readTaskIds : [])]
      const [first] = task_ids
      if (first === undefined) return yield* noTasks
      const { agent_id, engine } = yield* resolveAgentAndEngine(remote, options, reportersOfFirst(remote, first, options.engine))
      const payload = yield* decodeInput(BulkRetryRequest, {
        agent_id,
        filter: { task_ids, ...(engine !== null && { engine }) },
        max: options.max,
        ...idempotencyKeyOf(options)
      })
      return yield* remote.api.commands.bulkRetry({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
