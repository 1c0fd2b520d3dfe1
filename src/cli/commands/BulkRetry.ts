import { Effect, Option, Stream } from "effect"
import { isIdPart, isWholeId } from "../io/ShortId.ts"
import { standardInput } from "../io/StandardInput.ts"
import { CliError } from "../program/Explain.ts"
import type { OptionsOf } from "../program/Group.ts"
import type { Remote } from "../remote/Remote.ts"
import { reportersOfTask } from "../remote/Reporters.ts"
import { enginesOf, findTasks, listAgents, resolveAgentAndEngine } from "../remote/Target.ts"
import type { definitions } from "./commands.ts"

type BulkRetryOptions = OptionsOf<(typeof definitions)["bulk-retry"]>

/** Far above ten thousand ids of 200 characters. */
const maxCharacters = 8_000_000

const readTaskIds = standardInput.pipe(
  Stream.decodeText(),
  Stream.runFoldWhile("", (read) => read.length <= maxCharacters, (read, chunk) => read + chunk),
  Effect.map((read) => read.split(/\r?\n/).filter((line) => line !== ""))
)

const noTasks = new CliError({
  usage: true,
  message: "name the tasks, or give their ids on standard input with --tasks-stdin"
})

/** The agents that reported the first task, as a sample of all. Without an engine, each engine that an agent serves is searched. */
const reportersOfFirst = (remote: Remote, task: string, engine: Option.Option<string>) =>
  Effect.flatMap(
    Option.match(engine, {
      onNone: () => Effect.map(listAgents(remote), enginesOf),
      onSome: (engine) => Effect.succeed([engine])
    }),
    (engines) =>
      Effect.map(Effect.forEach(engines, (engine) => reportersOfTask(remote, engine, task)), (found) => found.flat())
  )

/** The whole id of a task that a person typed a part of; what the brain does not know stays as it is. */
const resolveTaskId = (remote: Remote, given: string, engine: Option.Option<string>) =>
  Effect.gen(function*() {
    if (isWholeId(given) || !isIdPart(given)) return given
    const engines = Option.isSome(engine) ? [engine.value] : enginesOf(yield* listAgents(remote))
    const [found] = yield* findTasks(remote, engines, given)
    return found?.[0].task_id ?? given
  })

/** The body of `bulk-retry`: the tasks that were named, and the agent that reported the first of them. */
export const resolveBulkRetry = (remote: Remote, options: BulkRetryOptions) =>
  Effect.gen(function*() {
    const named = yield* Effect.forEach(options.tasks, (task) => resolveTaskId(remote, task, options.engine))
    const task_ids = [...named, ...(options.tasksStdin ? yield* readTaskIds : [])]
    const [first] = task_ids
    if (first === undefined) return yield* noTasks
    const { agent_id, engine } = yield* resolveAgentAndEngine(
      remote,
      options,
      reportersOfFirst(remote, first, options.engine)
    )
    return { agent_id, filter: { task_ids, ...(engine !== null && { engine }) }, max: options.max }
  })
