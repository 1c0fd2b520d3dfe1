import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { passingPriorities, priorities } from "./form.ts"
import type { Subscription } from "./subscriptionOwner.ts"

const shown = ["task_name", "task_name_pattern", "queue", "engine", "priority"] as const

/** The filters of a subscription in one line; what they leave out is not said. */
export const useFilterText = () => {
  const { subscriptions: texts } = useTexts()
  const format = useFormat()
  return (filters: Subscription["filters"]): string => {
    const { min_tasks, rate_percent, window_seconds } = filters
    const rate = typeof rate_percent === "number" && typeof window_seconds === "number" &&
        typeof min_tasks === "number"
      ? [
        texts.rateText(
          format.percent(rate_percent / 100),
          format.duration(window_seconds * 1_000),
          format.number(min_tasks)
        )
      ]
      : []
    const passing = passingPriorities(filters)
    const priority = passing.length === priorities.length
      ? undefined
      : passing.map((one) => texts.priorities[one]).join(", ") || texts.noPriority
    const others = Object.entries({ ...filters, priority }).flatMap(([name, value]) => {
      const field = shown.find((one) => one === name)
      return field === undefined || value === undefined ? [] : [`${texts.fields[field]}: ${String(value)}`]
    })
    return [...rate, ...others].join(" · ") || texts.allEvents
  }
}
