import { useQueryClient } from "@tanstack/react-query"
import { api, ApiError, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useToast } from "../ui/Toasts.tsx"

type Command = Schemas["Command"]

const firstPollMillis = 400
const longestPollMillis = 5_000
const terminal = new Set<Command["status"]>(["completed", "failed", "timeout", "cancelled"])

/** Follows a command that was issued until its outcome, in a notice with this title; the answer is the ended command. */
export const useCommandNotice = (slug: string) => {
  const { commands: texts } = useTexts()
  const queries = useQueryClient()
  const toast = useToast()
  return async (title: string, issued: Command): Promise<Command> => {
    const textOf = ({ error, status }: Command) => `${texts.statuses[status]}. ${error ?? texts.statusHints[status]}`
    const notice = toast.show({ title, text: textOf(issued), tone: "plain" })
    let command = issued
    for (
      let millis = firstPollMillis;
      !terminal.has(command.status);
      millis = Math.min(longestPollMillis, millis * 1.5)
    ) {
      await new Promise((resolve) => setTimeout(resolve, millis))
      try {
        command = await unwrap(
          api.GET("/api/v1/projects/{slug}/commands/{command_id}", {
            params: { path: { slug, command_id: command.id } }
          })
        )
      } catch (error) {
        // while the brain does not answer, the command exists all the same
        if (!(error instanceof ApiError) || (error.status !== 0 && error.status < 500)) throw error
      }
      notice.replace({ text: textOf(command) })
    }
    notice.replace({
      text: textOf(command),
      tone: command.status === "completed" ? "good" : command.status === "failed" ? "bad" : "plain"
    })
    void queries.invalidateQueries({ queryKey: ["commands", slug] })
    return command
  }
}
