import { useMutation } from "@tanstack/react-query"
import { api, ApiError, unwrap } from "../api/client.ts"
import { type Command, useCommandNotice } from "../commands/following.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { makeRequestId } from "../schedules/definition.ts"
import { useErrorText, useProblem } from "../ui/Notices.tsx"
import { useToast } from "../ui/Toasts.tsx"
import { findAgentOfTask } from "./agentOfTask.ts"

export interface TaskRef {
  readonly engine: string
  readonly task_id: string
  readonly name: string
}

export type TaskAction = "retry" | "cancel"

const issue = (slug: string, action: TaskAction, { engine, task_id }: TaskRef, agentId: string): Promise<Command> => {
  const options = {
    params: { path: { slug } },
    body: { agent_id: agentId, engine, task_id, idempotency_key: makeRequestId() }
  }
  return action === "retry"
    ? unwrap(api.POST("/api/v1/projects/{slug}/commands/retry-task", options))
    : unwrap(api.POST("/api/v1/projects/{slug}/commands/cancel-task", options))
}

/** The arguments of a retry as JSON texts, since a number in JavaScript would lose digits. */
export interface OtherArguments {
  readonly args: string
  readonly kwargs: string
}

/** Retries one task with other arguments. It rejects where no command is issued; a notice follows the command. */
export const useTaskRetry = (slug: string) => {
  const texts = useTexts()
  const openNotice = useCommandNotice(slug)
  return async ({ engine, name, task_id }: TaskRef, { args, kwargs }: OtherArguments) => {
    const agents = await unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))
    const agent = await findAgentOfTask(slug, agents, { engine, task_id })
    if (agent === undefined) throw new ApiError(404, "no_agent", texts.notices.noAgent, null)
    const target = { agent_id: agent.id, engine, task_id, idempotency_key: makeRequestId() }
    const command = await unwrap(
      api.POST("/api/v1/projects/{slug}/commands/retry-task", {
        params: { path: { slug } },
        body: target,
        bodySerializer: (body) =>
          `${JSON.stringify(body).slice(0, -1)},"override_args":${args},"override_kwargs":${kwargs}}`
      })
    )
    void openNotice(texts.notices.retry(name))([command])
  }
}

/** Issues a command for each task, and says what became of them in one notice. */
export const useTaskCommands = (slug: string, action: TaskAction) => {
  const texts = useTexts()
  const format = useFormat()
  const errorText = useErrorText()
  const problemOf = useProblem()
  const toast = useToast()
  const openNotice = useCommandNotice(slug)
  return useMutation({
    mutationFn: async (tasks: ReadonlyArray<TaskRef>) => {
      const what = tasks.length === 1 ? tasks[0]?.name ?? "" : texts.tasks.count(format.count(tasks.length))
      const agents = await unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))
      const follow = openNotice(action === "retry" ? texts.notices.retry(what) : texts.notices.cancel(what))
      const commands: Array<Command> = []
      const refusals: Array<string> = []
      for (const task of tasks) {
        try {
          const agent = await findAgentOfTask(slug, agents, task)
          if (agent === undefined) refusals.push(texts.notices.noAgent)
          else commands.push(await issue(slug, action, task, agent.id))
        } catch (error) {
          refusals.push(errorText(error))
        }
      }
      await follow(commands, refusals)
    },
    onError: (error) => toast.show({ title: texts.error.actionTitle, ...problemOf(error), tone: "bad" })
  })
}
