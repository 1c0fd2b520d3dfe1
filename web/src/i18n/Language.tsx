import { createContext, type ReactNode, useContext, useEffect, useState } from "react"
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

const loaders: Readonly<Record<Exclude<Language, "en">, () => Promise<Texts>>> = {
  de: async () => (await import("./de.ts")).de,
  es: async () => (await import("./es.ts")).es,
  fr: async () => (await import("./fr.ts")).fr,
  ja: async () => (await import("./ja.ts")).ja
}

const isLanguage = (name: string): name is Language => name in languages

const storageKey = "svc.language"

const preferredLanguage = (): Language => {
  const stored = localStorage.getItem(storageKey) ?? ""
  if (isLanguage(stored)) return stored
  return navigator.languages.map((tag) => tag.split("-", 1)[0] ?? "").find(isLanguage) ?? "en"
}

const loadTexts = (language: Language) => (language === "en" ? Promise.resolve(en) : loaders[language]())

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
    let isCurrent = true
    // without its file, as after an upgrade of the brain, the page stays in the language that is loaded
    void loadTexts(language).catch(() => null).then((loaded) => {
      if (!isCurrent) return
      if (loaded !== null) document.documentElement.lang = language
      setTexts((known) => loaded ?? known ?? en)
    })
    return () => {
      isCurrent = false
    }
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
