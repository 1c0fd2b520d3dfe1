import { useQueryClient } from "@tanstack/react-query"
import { api, ApiError, type Schemas, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useProblem } from "../ui/Notices.tsx"
import { useToast } from "../ui/Toasts.tsx"

export type Command = Schemas["Command"]
export type CommandStatus = Command["status"]

const firstPollMillis = 400
const longestPollMillis = 5_000
const terminal = new Set<CommandStatus>(["completed", "failed", "timeout", "cancelled"])

/** The command as it is now; as it was, while the brain does not respond: the command exists all the same. */
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

/**
 * Opens a notice for commands that are about to be issued. The returned function follows the issued ones until
 * each has an outcome, and shows the outcomes; `refusals` are the sentences of those that the brain did not issue.
 */
export const useCommandNotice = (slug: string) => {
  const texts = useTexts()
  const format = useFormat()
  const problemOf = useProblem()
  const queries = useQueryClient()
  const toast = useToast()

  const summarize = (commands: ReadonlyArray<Command>, refusals: ReadonlyArray<string>) => {
    const [only] = commands
    if (commands.length + refusals.length === 1 && only !== undefined) {
      return `${texts.commands.statuses[only.status]}. ${
        only.error ?? only.note ?? texts.commands.statusHints[only.status]
      }`
    }
    const counts = new Map<CommandStatus, number>()
    for (const { status } of commands) counts.set(status, (counts.get(status) ?? 0) + 1)
    return [
      ...[...counts].map(([status, count]) => `${texts.commands.statuses[status]}: ${format.number(count)}`),
      ...(refusals.length > 0 ? [`${texts.notices.refused}: ${format.number(refusals.length)}. ${refusals[0]}`] : [])
    ].join(", ")
  }

  return (title: string) => {
    const notice = toast.show({ title, text: texts.commands.statuses.pending, tone: "plain" })
    return async (issued: ReadonlyArray<Command>, refusals: ReadonlyArray<string> = []): Promise<void> => {
      let commands = issued
      try {
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
      } catch (error) {
        notice.replace({ ...problemOf(error), tone: "bad" })
      } finally {
        for (const name of ["commands", "queues", "task", "workers"]) {
          void queries.invalidateQueries({ queryKey: [name, slug] })
        }
      }
    }
  }
}

/** Issues one command; rejects where the brain refuses it, else follows it in a notice of its own. */
export const useCommand = (slug: string) => {
  const openNotice = useCommandNotice(slug)
  return async (title: string, issue: () => Promise<Command>): Promise<void> => {
    const command = await issue()
    void openNotice(title)([command])
  }
}
