import { useState } from "react"
import { PersonButton } from "../activity/Filters.tsx"
import { ActionName, Summary, Target } from "../activity/RowParts.tsx"
import type { Row } from "../activity/summary.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { JsonTree } from "../tasks/JsonTree.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Fact, Facts } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"

const Details = ({ row }: { readonly row: Row }) => {
  const { audit: texts } = useTexts()
  const format = useFormat()
  return (
    <div className="border-t border-line bg-canvas">
      <Facts>
        <Fact name={texts.exactTime}>
          <span className="whitespace-normal">{format.dateTime(Date.parse(row.occurred_at))}</span>
        </Fact>
        <Fact name={texts.outcome}>{row.outcome ?? "–"}</Fact>
        <Fact name={texts.result}>{row.result}</Fact>
        <Fact name={texts.target}>{row.target_type}</Fact>
        <Fact name={texts.address}>
          {row.source_ip ?? <span className="text-soft" title={texts.addressHidden}>–</span>}
        </Fact>
      </Facts>
      <p className="px-4 pb-3 font-mono text-[12px] break-all">
        {row.target_id !== null && (
          <>
            <span className="text-soft">{texts.targetId}:</span> {row.target_id}
            <br />
          </>
        )}
        <span className="text-soft">{texts.row}:</span> {row.id}
      </p>
      <JsonTree heading="h2" label={texts.metadata} value={row.metadata} text={JSON.stringify(row.metadata, null, 2)} />
    </div>
  )
}

/** A row of the log on one line; a button opens all that it says. */
export const AuditRow = ({ name, onPerson, row }: {
  readonly row: Row
  readonly name: string
  readonly onPerson: (id: string) => void
}) => {
  const { activity: texts } = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="border-b border-line last:border-0">
      <div className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-start gap-x-2 px-3 py-1 hover:bg-hover md:grid-cols-[auto_minmax(0,10rem)_minmax(0,16rem)_minmax(0,12rem)_minmax(0,1fr)_auto]">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`${texts.details}: ${row.action}`}
          className="rounded-small p-0.5 text-soft hover:bg-press hover:text-ink"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? "down" : "chevron"} />
        </button>
        <span className="min-w-0 truncate max-md:hidden">
          <PersonButton id={row.user_id} name={name} onChoose={onPerson} />
        </span>
        <span className="min-w-0 break-words">
          <ActionName row={row} />
          <span className="block text-soft md:hidden">{name}</span>
        </span>
        <span className="min-w-0 truncate max-md:hidden">
          <Target row={row} />
        </span>
        <span className="min-w-0 max-md:hidden">
          <Summary row={row} />
        </span>
        <Time at={row.occurred_at} className="figures whitespace-nowrap text-soft" />
      </div>
      {isOpen && <Details row={row} />}
    </li>
  )
}
