import { useMutation } from "@tanstack/react-query"
import { findAgent } from "../agents/findAgent.ts"
import { api, unwrap } from "../api/client.ts"
import { type Command, useCommandNotice } from "../commands/following.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useErrorText } from "../ui/Notices.tsx"
import { useToast } from "../ui/Toasts.tsx"

export interface TaskRef {
  readonly engine: string
  readonly task_id: string
  readonly name: string
}

export type TaskAction = "retry" | "cancel"

const issue = (slug: string, action: TaskAction, { engine, task_id }: TaskRef, agentId: string): Promise<Command> => {
  const options = { params: { path: { slug } }, body: { agent_id: agentId, engine, task_id } }
  return action === "retry"
    ? unwrap(api.POST("/api/v1/projects/{slug}/commands/retry-task", options))
    : unwrap(api.POST("/api/v1/projects/{slug}/commands/cancel-task", options))
}

/** Issues a command for each task, and says what became of them in one notice. */
export const useTaskCommands = (slug: string, action: TaskAction) => {
  const texts = useTexts()
  const format = useFormat()
  const errorText = useErrorText()
  const toast = useToast()
  const openNotice = useCommandNotice(slug)
  return useMutation({
    mutationFn: async (tasks: ReadonlyArray<TaskRef>) => {
      const what = tasks.length === 1 ? tasks[0]?.name ?? "" : texts.tasks.selected(format.number(tasks.length))
      const agents = await unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))
      const follow = openNotice(action === "retry" ? texts.notices.retry(what) : texts.notices.cancel(what))
      const commands: Array<Command> = []
      const refusals: Array<string> = []
      for (const task of tasks) {
        const agent = findAgent(agents, task.engine)
        try {
          if (agent === undefined) refusals.push(texts.notices.noAgent)
          else commands.push(await issue(slug, action, task, agent.id))
        } catch (error) {
          refusals.push(errorText(error))
        }
      }
      await follow(commands, refusals)
    },
    onError: (error) => toast.show({ title: texts.error.actionTitle, text: errorText(error), tone: "bad" })
  })
}
