import { useMemo } from "react"
import { useLanguage } from "../i18n/Language.tsx"
import { createFormat, type Format } from "./createFormat.ts"
import { useZone } from "./zone.ts"

export type { Format }

/** Numbers, durations and times in the chosen language and zone. */
export const useFormat = (): Format => {
  const { language } = useLanguage()
  const zone = useZone()
  // the browser's own variant of the language writes dates as its reader does
  const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language
  return useMemo(() => createFormat(locale, zone), [locale, zone])
}
