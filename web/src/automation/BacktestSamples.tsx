import { useTexts } from "../i18n/Language.tsx"
import { TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { OutcomeMark } from "./Outcome.tsx"
import type { BacktestResult } from "./useBacktest.ts"

/** Some of the events that the rule would have matched, and what it would have done. */
export const BacktestSamples = ({ samples, slug }: {
  readonly slug: string
  readonly samples: BacktestResult["samples"]
}) => {
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
