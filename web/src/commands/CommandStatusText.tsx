import { useTexts } from "../i18n/Language.tsx"
import type { CommandStatus } from "./following.ts"

const colours: Readonly<Record<CommandStatus, string>> = {
  pending: "text-waiting",
  dispatched: "text-running",
  completed: "text-success",
  failed: "text-failure",
  timeout: "text-retry",
  cancelled: "text-stopped"
}

/** The state of a command in a word; what it means on hover. */
export const CommandStatusText = ({ status }: { readonly status: CommandStatus }) => {
  const { commands: texts } = useTexts()
  return <span className={colours[status]} title={texts.statusHints[status]}>{texts.statuses[status]}</span>
}
