import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, type Option, Stream } from "effect"
import { BulkRetryRequest } from "../../domain/Command/Requests.ts"
import { accepted } from "../Accepted.ts"
import { Refused } from "../Explain.ts"
import { issue, type IssueOptions, keyOf } from "../Issue.ts"
import { agentAndEngine } from "../Target.ts"

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

export const run = (options: Options) =>
  issue(options, (remote) =>
    Effect.gen(function*() {
      const task_ids = [...options.tasks, ...(options.tasksStdin ? yield* idsOfStdin : [])]
      if (task_ids.length === 0) return yield* noTasks
      const { agent_id, engine } = yield* agentAndEngine(remote, options)
      const payload = yield* accepted(BulkRetryRequest, {
        agent_id,
        filter: { task_ids, ...(engine !== null && { engine }) },
        max: options.max,
        ...keyOf(options)
      })
      return yield* remote.api.commands.bulkRetry({ path: { slug: remote.slug }, payload, withResponse: true })
    }))
