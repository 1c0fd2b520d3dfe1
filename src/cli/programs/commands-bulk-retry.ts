import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Option, Stream } from "effect"
import { BulkRetryRequest } from "../../domain/Command/Requests.ts"
import { accepted } from "../Accepted.ts"
import { ofTask } from "../Evidence.ts"
import { Refused } from "../Explain.ts"
import { issue, type IssueOptions, keyOf } from "../Issue.ts"
import type { Remote } from "../Remote.ts"
import { agentAndEngine, agentsOf, enginesOf } from "../Target.ts"

interface Options extends IssueOptions {
  readonly tasks: ReadonlyArray<string>
  readonly tasksStdin: boolean
  readonly engine: Option.Option<string>
  readonly max: number
}

/** Far above ten thousand ids of 200 characters. */
const mostCharacters = 8_000_000

const idsOfStdin = NodeStream.stdin.pipe(
  Stream.decodeText(),
  Stream.runFoldWhile("", (read) => read.length <= mostCharacters, (read, chunk) => read + chunk),
  Effect.mapError(() => new Refused({ message: "standard input cannot be read" })),
  Effect.map((read) => read.split(/\r?\n/).filter((line) => line !== ""))
)

const noTasks = new Refused({ usage: true, message: "name the tasks, or give their ids on standard input with --tasks-stdin" })

/** Who reported the first task stands for all. Without an engine each engine that an agent serves is asked for it. */
const reporters = (remote: Remote, task: string, engine: Option.Option<string>) =>
  Effect.flatMap(Option.match(engine, {
    onNone: () => Effect.map(agentsOf(remote), enginesOf),
    onSome: (engine) => Effect.succeed([engine])
  }), (engines) => Effect.map(Effect.forEach(engines, (engine) => ofTask(remote, engine, task)), (found) => found.flat()))

export const run = (options: Options) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const task_ids = [...options.tasks, ...(options.tasksStdin ? yield* idsOfStdin : [])]
      const [first] = task_ids
      if (first === undefined) return yield* noTasks
      const { agent_id, engine } = yield* agentAndEngine(remote, options, reporters(remote, first, options.engine))
      const payload = yield* accepted(BulkRetryRequest, {
        agent_id,
        filter: { task_ids, ...(engine !== null && { engine }) },
        max: options.max,
        ...keyOf(options)
      })
      return yield* remote.api.commands.bulkRetry({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
