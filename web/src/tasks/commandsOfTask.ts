import { useMutation, useQueryClient } from "@tanstack/react-query"
import { api, ApiError, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useErrorText } from "../ui/Notices.tsx"
import { useToast } from "../ui/Toasts.tsx"

export interface TaskRef {
  readonly engine: string
  readonly task_id: string
  readonly name: string
}

export type TaskAction = "retry" | "cancel"

const pollMillis = 500
const terminal = new Set<Schemas["Command"]["status"]>(["completed", "failed", "timeout", "cancelled"])

/** The agent that executes commands of an engine: one that is connected, else any; the command waits for it. */
const findAgent = async (slug: string, engine: string): Promise<string | null> => {
  const agents = await unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))
  const able = agents.filter(({ engine_adapters }) => engine_adapters.includes(engine))
  return (able.find(({ state }) => state === "online") ?? able[0])?.id ?? null
}

const issue = async (slug: string, action: TaskAction, { engine, task_id }: TaskRef, agentId: string) => {
  const options = { params: { path: { slug } }, body: { agent_id: agentId, engine, task_id } }
  return action === "retry"
    ? unwrap(api.POST("/api/v1/projects/{slug}/commands/retry-task", options))
    : unwrap(api.POST("/api/v1/projects/{slug}/commands/cancel-task", options))
}

const waitForOutcome = async (slug: string, command: Schemas["Command"]): Promise<Schemas["Command"]> => {
  let latest = command
  while (!terminal.has(latest.status)) {
    await new Promise((resolve) => setTimeout(resolve, pollMillis))
    latest = await unwrap(
      api.GET("/api/v1/projects/{slug}/commands/{command_id}", {
        params: { path: { slug, command_id: command.id } }
      })
    )
  }
  return latest
}

/** Issues the command and says what became of it, where it was issued. */
export const useTaskCommand = (slug: string, action: TaskAction) => {
  const texts = useTexts()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: async (task: TaskRef) => {
      const agentId = await findAgent(slug, task.engine)
      if (agentId === null) throw new ApiError(409, "no_agent", texts.notices.noAgent, null)
      const label = action === "retry" ? texts.task.retryQuestion(task.name) : texts.task.cancelQuestion(task.name)
      const notice = toast.show({
        title: label.replace(/[?？¿]\s*/g, ""),
        text: texts.notices.commandSent,
        tone: "plain"
      })
      const command = await issue(slug, action, task, agentId)
      const outcome = await waitForOutcome(slug, command)
      const { error, status } = outcome
      notice.replace({
        text: `${texts.commands.statuses[status]}. ${error ?? texts.commands.statusHints[status]}`,
        tone: status === "completed" ? "good" : status === "failed" ? "bad" : "plain"
      })
      return outcome
    },
    onError: (error) => toast.show({ title: texts.error.actionTitle, text: errorText(error), tone: "bad" }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["commands", slug] })
  })
}
