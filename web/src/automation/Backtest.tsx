import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { oneOf } from "../searchParams.ts"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { type BacktestDays, backtestDays } from "./backtestDays.ts"
import { BacktestSamples } from "./BacktestSamples.tsx"
import { BacktestTable } from "./BacktestTable.tsx"
import { OutcomeMark } from "./Outcome.tsx"
import type { RuleBody } from "./rule.ts"
import type { BacktestResult, useBacktest } from "./useBacktest.ts"

const Names = ({ counts, title }: { readonly title: string; readonly counts: BacktestResult["task_names"] }) => {
  const format = useFormat()
  if (counts.length === 0) return null
  return (
    <div className="min-w-0">
      <h3 className="text-small text-soft">{title}</h3>
      <ul>
        {counts.map(({ count, value }) => (
          <li key={value} className="flex gap-3">
            <span className="truncate" title={value}>{value}</span>
            <span className="figures ml-auto">{format.number(count)}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}

const Findings = ({ result, slug }: { readonly slug: string; readonly result: BacktestResult }) => {
  const { automation: texts } = useTexts()
  const format = useFormat()
  const reasons = (["degraded", "ceiling", "loop_guard", "not_allowed"] as const)
    .filter((reason) => result.held_back[reason] > 0)
  const isShort = Date.parse(result.covered_until) - Date.parse(result.covered_from) < (result.days - 0.01) * 86_400_000
  return (
    <>
      <Facts>
        <Fact name={texts.matched}>
          <span className="figures text-figure font-semibold">{format.number(result.matched)}</span>
        </Fact>
        <Fact name={texts.wouldExecute}>
          <span className="figures text-figure font-semibold">{format.number(result.would_execute)}</span>
        </Fact>
        <Fact name={texts.trips}>
          <span className="figures text-figure font-semibold">{format.number(result.trips)}</span>
        </Fact>
      </Facts>
      {reasons.length > 0 && (
        <ul className="px-4 pb-3">
          {reasons.map((reason) => (
            <li key={reason}>
              <OutcomeMark outcome={reason} />:{" "}
              <span className="figures">{format.number(result.held_back[reason])}</span>
            </li>
          ))}
        </ul>
      )}
      {(isShort || result.truncated) && (
        <p className="px-4 pb-3 text-soft">
          {result.truncated && `${texts.truncated} `}
          {texts.coveredFrom(format.dateTime(Date.parse(result.covered_from)))}
        </p>
      )}
      {result.matched === 0 ? <p className="px-4 pb-3">{texts.noMatch}</p> : (
        <>
          <BacktestTable result={result} />
          <div className="grid gap-3 px-4 pb-3 sm:grid-cols-2">
            <Names title={texts.byName} counts={result.task_names} />
            <Names title={texts.byWorker} counts={result.workers} />
          </div>
          <BacktestSamples slug={slug} samples={result.samples} />
        </>
      )}
      {result.notes.length > 0 && (
        <details className="border-t border-line px-4 py-2 text-soft">
          <summary className="cursor-pointer">{texts.notes}</summary>
          <ul className="mt-1 grid gap-1">{result.notes.map((note) => <li key={note}>{note}</li>)}</ul>
        </details>
      )}
    </>
  )
}

/** What the rule in the form would have done in the last days. */
export const BacktestPanel = ({ backtest, days, onDays, rule, slug }: {
  readonly slug: string
  readonly rule: RuleBody | null
  readonly days: BacktestDays
  readonly onDays: (days: BacktestDays) => void
  readonly backtest: ReturnType<typeof useBacktest>
}) => {
  const { automation: texts } = useTexts()
  const format = useFormat()
  const canRun = rule !== null && rule.trigger !== "worker.offline"
  return (
    <Panel
      title={texts.backtest}
      actions={
        <>
          <FilterSelect
            label={texts.days}
            choices={Object.fromEntries(backtestDays.map((count) => [count, texts.dayCount(format.count(count))]))}
            value={String(days)}
            onChoose={(chosen) => onDays(oneOf(backtestDays, chosen) ?? days)}
          />
          <Button disabled={!canRun || backtest.isFetching} onClick={() => void backtest.refetch()}>{texts.run}</Button>
        </>
      }
    >
      <p className="px-4 pt-3 text-soft" role="status">
        {backtest.isFetching ? `${texts.running}…` : texts.backtestHint}
      </p>
      {rule === null
        ? <p className="px-4 py-3">{texts.incomplete}</p>
        : rule.trigger === "worker.offline"
        ? <p className="px-4 py-3">{texts.noHistory}</p>
        : backtest.isError
        ? <ErrorNotice error={backtest.error} />
        : backtest.data === undefined
        ? <div className="py-3" />
        : <Findings slug={slug} result={backtest.data} />}
    </Panel>
  )
}
