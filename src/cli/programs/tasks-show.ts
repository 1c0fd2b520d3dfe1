import { Effect, type Option } from "effect"
import type { TaskDetail } from "../../domain/Task.ts"
import { printAnswer, withRemote } from "../Remote.ts"
import { formatFields } from "../Table.ts"
import { listAgents, getTask } from "../Target.ts"
import { jsonMemberOf, escapeLines } from "../TerminalText.ts"

const formatTask = (task: typeof TaskDetail.Type, text: string): string =>
  [
    formatFields([
      ["task", task.task_id],
      ["name", task.name],
      ["state", task.state],
      ["engine", task.engine],
      ["queue", task.queue],
      ["worker", task.worker_name],
      ["priority", task.priority],
      ["retries", task.retry_count],
      ["received", task.received_at],
      ["started", task.started_at],
      ["finished", task.finished_at],
      ["runtime", task.runtime_ms === null ? null : `${task.runtime_ms} ms`],
      ["eta", task.eta],
      ["parent", task.parent_task_id],
      ["root", task.root_task_id],
      ["args", jsonMemberOf(text, "args")],
      ["kwargs", jsonMemberOf(text, "kwargs")],
      ["result", jsonMemberOf(text, "result")],
      ["exception", task.exception],
      ["retry", task.retry_note],
      ["retried from", task.retried_from],
      ["retried as", task.retried_as.join(", ")]
    ]),
    ...(task.traceback === null ? [] : [escapeLines(task.traceback.trimEnd())])
  ].join("\n")

export const run = ({ engine, json, project, task }: {
  readonly task: string
  readonly engine: Option.Option<string>
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const agents = engine._tag === "Some" ? [] : yield* listAgents(remote)
      yield* printAnswer(yield* getTask(remote, agents, task, engine), json, formatTask)
    }))
