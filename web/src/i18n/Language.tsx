import { createContext, type ReactNode, useContext, useEffect, useState } from "react"
import { Code } from "../code/Code.ts"
import { canReloadAlone, reload } from "../code/reload.ts"
import { hasUnsaved } from "../ui/unsaved.ts"
import type { Texts } from "./en.ts"

/** The languages of the dashboard, each by its own name. */
export const languages = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  fr: "Français",
  ja: "日本語"
} as const

export type Language = keyof typeof languages

/** Each is a file of its own, and loaded when it is chosen. The page's response names the likely one (http/Dashboard/Links.ts). */
const catalogues: Readonly<Record<Language, Code<Texts>>> = {
  en: new Code(async () => (await import("./en.ts")).en),
  de: new Code(async () => (await import("./de.ts")).de),
  es: new Code(async () => (await import("./es.ts")).es),
  fr: new Code(async () => (await import("./fr.ts")).fr),
  ja: new Code(async () => (await import("./ja.ts")).ja)
}

const isLanguage = (name: string): name is Language => name in languages

const storageKey = "svc.language"

export const preferredLanguage = (): Language => {
  const stored = localStorage.getItem(storageKey) ?? ""
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.split("-", 1)[0] ?? "").find(isLanguage) ?? "en"
}

interface Chosen {
  readonly language: Language
  readonly texts: Texts
  readonly choose: (language: Language) => void
}

const LanguageContext = createContext<Chosen | null>(null)

/** Without texts there are no words to say what is wrong but these. */
const loadFailure = <p role="alert">The texts of this page could not be loaded. Reload the page.</p>

catalogues[preferredLanguage()].load()

/** Shows nothing until the first language is loaded; until another one comes the page stays in the one that it has. */
export const LanguageProvider = ({ children }: { readonly children: ReactNode }) => {
  const [language, setLanguage] = useState(preferredLanguage)
  const [texts, setTexts] = useState<Texts | null>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    const catalogue = catalogues[language]
    const update = () => {
      const state = catalogue.getState()
      setFailed(state.kind === "failed")
      if (state.kind === "loaded") {
        document.documentElement.lang = language
        setTexts(state.code)
      } else if (state.kind !== "loading" && canReloadAlone() && !hasUnsaved()) void reload()
    }
    const stop = catalogue.watch(update)
    catalogue.load()
    update()
    return stop
  }, [language])
  if (texts === null) return hasFailed ? loadFailure : null
  const choose = (chosen: Language) => {
    localStorage.setItem(storageKey, chosen)
    setLanguage(chosen)
  }
  return <LanguageContext value={{ language, texts, choose }}>{children}</LanguageContext>
}

/** The language of the page and its texts. */
export const useLanguage = (): Chosen => {
  const chosen = useContext(LanguageContext)
  if (chosen === null) throw new Error("useLanguage stands outside of LanguageProvider")
  return chosen
}

export const useTexts = (): Texts => useLanguage().texts
