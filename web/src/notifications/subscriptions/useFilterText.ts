import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { priorities } from "./form.ts"
import type { Subscription } from "./subscriptionOwner.ts"

const shown = ["task_name", "task_name_pattern", "queue", "engine", "priority", "priority_min", "priority_max"] as const

/** The filters of a subscription in one line; what they leave out is not said. */
export const useFilterText = () => {
  const { subscriptions: texts } = useTexts()
  const format = useFormat()
  const textOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(textOf).join(", ")
    const priority = priorities.find((one) => one === value)
    return priority === undefined ? String(value) : texts.priorities[priority]
  }
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
    const others = shown.flatMap((name) =>
      filters[name] === undefined ? [] : [`${texts.fields[name]}: ${textOf(filters[name])}`]
    )
    return [...rate, ...others].join(" · ") || texts.allEvents
  }
}
