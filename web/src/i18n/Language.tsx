import { createContext, type ReactNode, useContext, useEffect, useState } from "react"
import { Code } from "../code/Code.ts"
import { canReloadAlone, reload } from "../code/reload.ts"
import { hasUnsaved } from "../ui/unsaved.ts"
import { en, type Texts } from "./en.ts"

/** The languages of the dashboard, each by its own name. English is in the first load; the others are loaded when chosen. */
export const languages = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  ja: "日本語"
} as const

export type Language = keyof typeof languages

const catalogues: Readonly<Record<Exclude<Language, "en">, Code<Texts>>> = {
  de: new Code(async () => (await import("./de.ts")).de),
  es: new Code(async () => (await import("./es.ts")).es),
  fr: new Code(async () => (await import("./fr.ts")).fr),
  ja: new Code(async () => (await import("./ja.ts")).ja)
}

const isLanguage = (name: string): name is Language => name in languages

const storageKey = "svc.language"

const preferredLanguage = (): Language => {
  const stored = localStorage.getItem(storageKey) ?? ""
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.split("-", 1)[0] ?? "").find(isLanguage) ?? "en"
}

interface Chosen {
  readonly language: Language
  readonly texts: Texts
  readonly choose: (language: Language) => void
}

const LanguageContext = createContext<Chosen>({ language: "en", texts: en, choose: () => {} })

export const LanguageProvider = ({ children }: { readonly children: ReactNode }) => {
  const [language, setLanguage] = useState(preferredLanguage)
  const [texts, setTexts] = useState<Texts | null>(language === "en" ? en : null)
  useEffect(() => {
    const show = (loaded: Texts) => {
      document.documentElement.lang = language
      setTexts(loaded)
    }
    if (language === "en") return show(en)
    const catalogue = catalogues[language]
    const update = () => {
      const state = catalogue.getState()
      if (state.kind === "loaded") show(state.code)
      else if (state.kind !== "loading" && canReloadAlone() && !hasUnsaved()) void reload()
    }
    const stop = catalogue.watch(update)
    // until its file comes the page stays in the language that is loaded
    void catalogue.preload().then(() => setTexts((known) => known ?? en))
    update()
    return stop
  }, [language])
  if (texts === null) return null
  const choose = (chosen: Language) => {
    localStorage.setItem(storageKey, chosen)
    setLanguage(chosen)
  }
  return <LanguageContext value={{ language, texts, choose }}>{children}</LanguageContext>
}

export const useTexts = (): Texts => useContext(LanguageContext).texts

export const useLanguage = (): Chosen => useContext(LanguageContext)
