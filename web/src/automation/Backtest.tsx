import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { oneOf } from "../searchParams.ts"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/FilterSelect.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { type BacktestDays, backtestDays } from "./backtestDays.ts"
import { OutcomeMark } from "./Outcome.tsx"
import { automationKey } from "./queries.ts"
import type { RuleBody } from "./rule.ts"

type Result = Schemas["RuleBacktest"]

/** A person types on within it; a user has 60 backtests a minute. */
const pauseMillis = 800

/** The value once it has not changed for a while. */
const usePaused = (value: string | null): string | null => {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pauseMillis)
    return () => clearTimeout(timer)
  }, [value])
  return paused
}

/**
 * What the rule would have done. It is asked again when the rule has changed and the person pauses. `null`: the rule is
 * not complete, or the person may not ask.
 */
export const useBacktest = (slug: string, rule: RuleBody | null, days: number) => {
  const hasHistory = rule !== null && rule.trigger !== "worker.offline"
  // a rule is tried before it has its name
  const ruleJson = usePaused(hasHistory ? JSON.stringify({ ...rule, name: rule.name === "" ? "?" : rule.name }) : null)
  return useQuery({
    queryKey: [...automationKey(slug), "backtest", days, ruleJson],
    queryFn: () =>
      unwrap(
        api.POST("/api/v1/projects/{slug}/automation/rules:backtest", {
          params: { path: { slug } },
          body: { rule: JSON.parse(ruleJson ?? "") as RuleBody, days } // the text that was made of one above
        })
      ),
    enabled: ruleJson !== null,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    retry: false
  })
}

const Days = ({ result: { per_day } }: { readonly result: Result }) => {
  const { automation: texts } = useTexts()
  const format = useFormat()
  const most = Math.max(...per_day.map(({ matched }) => matched), 1)
  return (
    <div className="max-h-55 overflow-y-auto px-4 pb-3" tabIndex={0} role="region" aria-label={texts.day}>
      <table className="w-full">
        <thead>
          <tr className="text-small text-soft">
            <th scope="col" className="text-left font-normal">{texts.day}</th>
            <th scope="col" className="pl-3 text-right font-normal">{texts.matched}</th>
            <th scope="col" className="pl-3 text-right font-normal whitespace-nowrap">{texts.wouldExecute}</th>
          </tr>
        </thead>
        <tbody>
          {per_day.map(({ day, matched, would_execute }) => (
            <tr key={day}>
              <th scope="row" className="figures w-full py-0.5 text-left font-normal whitespace-nowrap">
                <span className="flex items-center gap-3">
                  {day}
                  <span aria-hidden="true" className="relative h-2 min-w-0 flex-1">
                    <span
                      className="absolute inset-y-0 left-0 rounded-small bg-press"
                      style={{ width: `${100 * matched / most}%` }}
                    />
                    <span
                      className="absolute inset-y-0 left-0 rounded-small bg-ink"
                      style={{ width: `${100 * would_execute / most}%` }}
                    />
                  </span>
                </span>
              </th>
              <td className="figures pl-3 text-right">{format.number(matched)}</td>
              <td className="figures pl-3 text-right">{format.number(would_execute)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const Names = ({ counts, title }: { readonly title: string; readonly counts: Result["task_names"] }) => {
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

const Samples = ({ samples, slug }: { readonly slug: string; readonly samples: Result["samples"] }) => {
  const { automation: texts } = useTexts()
  return (
    <div className="border-t border-line">
      <h3 className="px-4 pt-3 pb-0.5 font-medium">{texts.samples}</h3>
      <ul>
        {samples.map((sample, index) => (
          <li key={index} className="grid grid-cols-1 gap-px border-b border-line px-4 py-2 last:border-0">
            <div className="flex flex-wrap gap-x-3">
              {sample.task_id === null || sample.engine === null
                ? <span className="font-medium">{sample.task_name ?? sample.worker ?? "–"}</span>
                : (
                  <TextLink
                    to="/projects/$slug/tasks/$engine/$taskId"
                    params={{ slug, engine: sample.engine, taskId: sample.task_id }}
                    look="name"
                  >
                    {sample.task_name ?? sample.task_id}
                  </TextLink>
                )}
              <span className="ml-auto text-soft">
                <Time at={sample.occurred_at} />
              </span>
            </div>
            <div className="flex flex-wrap gap-x-3">
              <span className="whitespace-nowrap">
                {texts.actionNames[sample.action]}: <OutcomeMark outcome={sample.outcome} isTried />
              </span>
              <span className="min-w-0 flex-1 basis-40 truncate text-soft" title={sample.detail ?? undefined}>
                {sample.reason ?? sample.detail}
              </span>
            </div>
          </li>
        ))}
      </ul>
    </div>
  )
}

const Findings = ({ result, slug }: { readonly slug: string; readonly result: Result }) => {
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
          <Days result={result} />
          <div className="grid gap-3 px-4 pb-3 sm:grid-cols-2">
            <Names title={texts.byName} counts={result.task_names} />
            <Names title={texts.byWorker} counts={result.workers} />
          </div>
          <Samples slug={slug} samples={result.samples} />
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
