import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { BacktestResult } from "./useBacktest.ts"

/** How often the rule would have matched and acted on each day. */
export const BacktestTable = ({ result: { per_day } }: { readonly result: BacktestResult }) => {
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
