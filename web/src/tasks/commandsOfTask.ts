import { useMutation, useQueryClient } from "@tanstack/react-query"
import { api, ApiError, type Schemas, unwrap } from "../api/client.ts"
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

type Command = Schemas["Command"]

const firstPollMillis = 400
const longestPollMillis = 5_000
const terminal = new Set<Command["status"]>(["completed", "failed", "timeout", "cancelled"])

/** The agent that executes commands of an engine: one that is connected, else any; the command waits for it. */
const findAgent = (agents: ReadonlyArray<Schemas["Agent"]>, engine: string): string | undefined => {
  const able = agents.filter(({ engine_adapters }) => engine_adapters.includes(engine))
  return (able.find(({ state }) => state === "online") ?? able[0])?.id
}

const issue = (slug: string, action: TaskAction, { engine, task_id }: TaskRef, agentId: string): Promise<Command> => {
  const options = { params: { path: { slug } }, body: { agent_id: agentId, engine, task_id } }
  return action === "retry"
    ? unwrap(api.POST("/api/v1/projects/{slug}/commands/retry-task", options))
    : unwrap(api.POST("/api/v1/projects/{slug}/commands/cancel-task", options))
}

/** The command as it is now; as it was, while the brain does not answer: the command exists all the same. */
const readCommand = async (slug: string, command: Command): Promise<Command> => {
  try {
    return await unwrap(
      api.GET("/api/v1/projects/{slug}/commands/{command_id}", { params: { path: { slug, command_id: command.id } } })
    )
  } catch (error) {
    if (error instanceof ApiError && (error.status === 0 || error.status >= 500)) return command
    throw error
  }
}

/** Issues a command for each task, and says what became of them in one notice. */
export const useTaskCommands = (slug: string, action: TaskAction) => {
  const texts = useTexts()
  const format = useFormat()
  const errorText = useErrorText()
  const queries = useQueryClient()
  const toast = useToast()

  const summarize = (commands: ReadonlyArray<Command>, refusals: ReadonlyArray<string>) => {
    const [only] = commands
    if (commands.length + refusals.length === 1 && only !== undefined) {
      return `${texts.commands.statuses[only.status]}. ${only.error ?? texts.commands.statusHints[only.status]}`
    }
    const counts = new Map<Command["status"], number>()
    for (const { status } of commands) counts.set(status, (counts.get(status) ?? 0) + 1)
    return [
      ...[...counts].map(([status, count]) => `${texts.commands.statuses[status]}: ${format.number(count)}`),
      ...(refusals.length > 0 ? [`${texts.notices.refused}: ${format.number(refusals.length)}. ${refusals[0]}`] : [])
    ].join(", ")
  }

  return useMutation({
    mutationFn: async (tasks: ReadonlyArray<TaskRef>) => {
      const what = tasks.length === 1 ? tasks[0]?.name ?? "" : texts.tasks.selected(format.number(tasks.length))
      const agents = await unwrap(api.GET("/api/v1/projects/{slug}/agents", { params: { path: { slug } } }))
      const notice = toast.show({
        title: action === "retry" ? texts.notices.retry(what) : texts.notices.cancel(what),
        text: texts.commands.statuses.pending,
        tone: "plain"
      })
      let commands: ReadonlyArray<Command> = []
      const refusals: Array<string> = []
      for (const task of tasks) {
        const agentId = findAgent(agents, task.engine)
        try {
          if (agentId === undefined) refusals.push(texts.notices.noAgent)
          else commands = [...commands, await issue(slug, action, task, agentId)]
        } catch (error) {
          refusals.push(errorText(error))
        }
      }
      for (let millis = firstPollMillis;; millis = Math.min(longestPollMillis, millis * 1.5)) {
        const isOver = commands.every(({ status }) => terminal.has(status))
        const isGood = isOver && refusals.length === 0 && commands.every(({ status }) => status === "completed")
        const isBad = refusals.length > 0 || commands.some(({ status }) => status === "failed")
        notice.replace({ text: summarize(commands, refusals), tone: isGood ? "good" : isBad ? "bad" : "plain" })
        if (isOver) return
        await new Promise((resolve) => setTimeout(resolve, millis))
        const read: Array<Command> = []
        for (const command of commands) {
          read.push(terminal.has(command.status) ? command : await readCommand(slug, command))
        }
        commands = read
      }
    },
    onError: (error) => toast.show({ title: texts.error.actionTitle, text: errorText(error), tone: "bad" }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["commands", slug] })
  })
}
