import { Fragment } from "react"
import { useTexts } from "../i18n/Language.tsx"
import type { CommandStatus } from "./following.ts"
import { commandStatuses } from "./statuses.ts"

const colours: Readonly<Record<CommandStatus, string>> = {
  pending: "text-waiting",
  dispatched: "text-running",
  completed: "text-success",
  failed: "text-failure",
  timeout: "text-retry",
  cancelled: "text-stopped"
}

/** What each state means, for people who cannot hover. */
export const CommandStatusHelp = () => {
  const { commands: texts } = useTexts()
  return (
    <details className="px-4 pb-3">
      <summary className="w-fit cursor-pointer rounded-small text-soft hover:text-ink">{texts.statusHelp}</summary>
      <dl className="mt-2 grid max-w-[80ch] grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1">
        {commandStatuses.map((status) => (
          <Fragment key={status}>
            <dt className={colours[status]}>{texts.statuses[status]}</dt>
            <dd>{texts.statusHints[status]}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  )
}

/** The state of a command in a word; what it means on hover, and in `CommandStatusHelp`. */
export const CommandStatusText = ({ status }: { readonly status: CommandStatus }) => {
  const { commands: texts } = useTexts()
  return <span className={colours[status]} title={texts.statusHints[status]}>{texts.statuses[status]}</span>
}
