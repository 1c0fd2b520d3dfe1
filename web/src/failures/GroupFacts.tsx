import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Fact, Facts } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"
import type { FailureGroupDetail } from "./queries.ts"

/** How often a group failed, and since when. */
export const GroupFacts = ({ change, group }: {
  readonly group: FailureGroupDetail
  /** Of the failed attempts against the week before. */
  readonly change: number | null
}) => {
  const { failures: texts, overview } = useTexts()
  const format = useFormat()
  return (
    <Facts>
      <Fact name={texts.occurrences}>
        {group.window !== null && format.number(group.window.occurrences)}
        {change !== null && (
          <span title={overview.comparedWithLastWeek} className="ml-2 text-soft">{format.change(change)}</span>
        )}
      </Fact>
      <Fact name={texts.occurrencesEver}>{format.number(group.occurrences)}</Fact>
      <Fact name={texts.openNow}>
        <span className={group.open_count > 0 ? "font-medium text-failure" : undefined}>
          {format.number(group.open_count)}
        </span>
      </Fact>
      <Fact name={texts.recovered}>{format.number(group.recovered_count)}</Fact>
      <Fact name={texts.engine}>{group.engines.join(", ")}</Fact>
      <Fact name={texts.firstSeen}>{group.first_seen === null ? "–" : <Time at={group.first_seen} />}</Fact>
      <Fact name={texts.lastSeen}>{group.last_seen === null ? "–" : <Time at={group.last_seen} />}</Fact>
    </Facts>
  )
}
