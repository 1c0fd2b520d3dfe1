import { useState } from "react"
import type { Agent } from "../agents/agents.ts"
import { type Action, findAgent } from "../agents/findAgent.ts"
import { api, unwrap } from "../api/client.ts"
import { type Command, useCommand } from "../commands/following.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useContextActions } from "../palette/contextActions.ts"
import { Button } from "../ui/Button.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { registeredNames, type WorkerDetail } from "./workers.ts"

const workerActions = [
  "pool_grow",
  "pool_shrink",
  "add_consumer",
  "cancel_consumer",
  "rate_limit",
  "restart_worker"
] as const satisfies ReadonlyArray<Action>
type WorkerAction = (typeof workerActions)[number]

const issue = (
  slug: string,
  action: WorkerAction,
  { engine, name }: WorkerDetail,
  agentId: string,
  form: FormData
): Promise<Command> => {
  const target = { agent_id: agentId, engine, worker_name: name }
  const path = { params: { path: { slug } } }
  switch (action) {
    case "pool_grow":
    case "pool_shrink": {
      const count = Number(fieldText(form, "count"))
      const delta = action === "pool_grow" ? count : -count
      return unwrap(api.POST("/api/v1/projects/{slug}/commands/pool-resize", { ...path, body: { ...target, delta } }))
    }
    case "add_consumer": {
      const body = { ...target, queue: fieldText(form, "queue") }
      return unwrap(api.POST("/api/v1/projects/{slug}/commands/add-consumer", { ...path, body }))
    }
    case "cancel_consumer": {
      const body = { ...target, queue: fieldText(form, "queue") }
      return unwrap(api.POST("/api/v1/projects/{slug}/commands/cancel-consumer", { ...path, body }))
    }
    case "rate_limit": {
      const body = { ...target, task_name: fieldText(form, "task"), rate: fieldText(form, "rate") }
      return unwrap(api.POST("/api/v1/projects/{slug}/commands/rate-limit", { ...path, body }))
    }
    case "restart_worker":
      return unwrap(api.POST("/api/v1/projects/{slug}/commands/restart-worker", { ...path, body: target }))
  }
}

const isDangerous = (action: WorkerAction) => action === "restart_worker" || action === "cancel_consumer"

const ActionFields = ({ action, queues, worker }: {
  readonly action: WorkerAction
  readonly worker: WorkerDetail
  /** Queues of the engine, to choose from. */
  readonly queues: ReadonlyArray<string>
}) => {
  const { workers: texts } = useTexts()
  const listId = `choices-${action}`
  const choices = action === "cancel_consumer"
    ? worker.queues
    : action === "add_consumer"
    ? queues.filter((name) => !worker.queues.includes(name))
    : registeredNames(worker)
  const list = <datalist id={listId}>{choices.map((name) => <option key={name} value={name} />)}</datalist>
  if (action === "restart_worker") return null
  if (action === "rate_limit") {
    return (
      <>
        <TextField label={texts.taskName} name="task" list={listId} maxLength={500} data-autofocus />
        {list}
        <TextField label={texts.rate} hint={texts.rateHint} name="rate" pattern="\d+(/[smh])?" />
      </>
    )
  }
  if (action === "pool_grow" || action === "pool_shrink") {
    return (
      <TextField label={texts.count} name="count" type="number" min={1} max={100} defaultValue={1} data-autofocus />
    )
  }
  return (
    <>
      <TextField
        label={texts.queue}
        name="queue"
        list={listId}
        maxLength={200}
        defaultValue={choices.length === 1 ? choices[0] : ""}
        data-autofocus
      />
      {list}
    </>
  )
}

/** What an operator can do with a worker: the actions that an agent of its engine offers. */
export const WorkerActions = ({ agents, queues, slug, worker }: {
  readonly slug: string
  readonly worker: WorkerDetail
  readonly agents: ReadonlyArray<Agent>
  readonly queues: ReadonlyArray<string>
}) => {
  const { workers: texts } = useTexts()
  const format = useFormat()
  const command = useCommand(slug)
  const [action, setAction] = useState<WorkerAction | null>(null)
  const own = agents.filter(({ id }) => id === worker.agent_id)
  // the agent beside the worker first: another one may reach another broker
  const agentFor = (action: Action) => findAgent(own, worker.engine, action) ?? findAgent(agents, worker.engine, action)
  const offered = worker.state !== "online" ? [] : workerActions.filter((one) => agentFor(one) !== undefined)
  useContextActions(
    offered.map((one) => ({ id: one, title: `${texts.do[one]}: ${worker.name}`, run: () => setAction(one) }))
  )
  const agent = action === null ? undefined : agentFor(action)
  return (
    <>
      <div className="ml-auto flex flex-wrap items-center gap-2">
        {offered.map((one) => (
          <Button
            key={one}
            variant={isDangerous(one) ? "danger" : "plain"}
            onClick={() => setAction(one)}
          >
            {texts.do[one]}
          </Button>
        ))}
      </div>
      {action !== null && agent !== undefined && (
        <FormDialog
          title={texts.question[action](worker.name)}
          submit={texts.do[action]}
          variant={isDangerous(action) ? "danger" : "primary"}
          onClose={() => setAction(null)}
          onSubmit={(form) =>
            command(`${texts.do[action]}: ${worker.name}`, () => issue(slug, action, worker, agent.id, form))}
        >
          <p className="text-soft">
            {texts.hint[action]}
            {worker.active_tasks !== null && worker.active_tasks > 0 && action === "restart_worker" &&
              ` ${texts.runningNow(format.count(worker.active_tasks))}`}
          </p>
          <ActionFields action={action} worker={worker} queues={queues} />
        </FormDialog>
      )}
    </>
  )
}
