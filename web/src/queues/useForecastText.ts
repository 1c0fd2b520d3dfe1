import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"

/** When a queue will be empty, in words. */
export const useForecastText = () => {
  const { queues: texts } = useTexts()
  const format = useFormat()
  return (forecast: Schemas["QueueForecast"] | null): string => {
    if (forecast === null) return texts.forecastUnknown
    const { empty_in_seconds, per_minute, trend } = forecast
    const rate = `${per_minute > 0 ? "+" : ""}${format.number(per_minute)}`
    switch (trend) {
      case "empty":
        return texts.forecastEmpty
      case "emptying":
        return texts.forecastEmptying(format.duration((empty_in_seconds ?? 0) * 1000), rate)
      case "growing":
        return texts.forecastGrowing(rate)
      case "steady":
        return texts.forecastSteady(rate)
      case "turned":
        return texts.forecastTurned(rate)
    }
  }
}
