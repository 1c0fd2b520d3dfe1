import { useMemo } from "react"
import { useLanguage } from "../i18n/Language.tsx"
import { describeCadence } from "./words.ts"

/** Puts cadences in words of the chosen language; null where only the API has words. */
export const useWords = () => {
  const { language, texts } = useLanguage()
  return useMemo(() => {
    const wording = { texts: texts.schedules.words, language }
    return (cadence: { readonly kind: string; readonly expression: string }) => describeCadence(wording, cadence)
  }, [language, texts])
}
