import { Effect, type Option } from "effect"
import type { TaskDetail } from "../../domain/Task.ts"
import { print, remotely } from "../Remote.ts"
import { fields } from "../Table.ts"
import { agentsOf, taskOf } from "../Target.ts"
import { memberText, visibleLines } from "../Visible.ts"

const shown = (task: typeof TaskDetail.Type, text: string): string =>
  [
    fields([
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
      ["args", memberText(text, "args")],
      ["kwargs", memberText(text, "kwargs")],
      ["result", memberText(text, "result")],
      ["exception", task.exception],
      ["retry", task.retry_note],
      ["retried from", task.retried_from],
      ["retried as", task.retried_as.join(", ")]
    ]),
    ...(task.traceback === null ? [] : [visibleLines(task.traceback.trimEnd())])
  ].join("\n")

export const run = ({ engine, json, project, task }: {
  readonly task: string
  readonly engine: Option.Option<string>
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  remotely(project, (remote) =>
    Effect.gen(function*() {
      const agents = engine._tag === "Some" ? [] : yield* agentsOf(remote)
      yield* print(yield* taskOf(remote, agents, task, engine), json, shown)
    }))
