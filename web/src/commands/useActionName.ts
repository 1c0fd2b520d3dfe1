import { useTexts } from "../i18n/Language.tsx"

/** What a command does, in words; the name of one that only a newer brain knows. */
export const useActionName = () => {
  const { commands: texts } = useTexts()
  const names: Readonly<Partial<Record<string, string>>> = texts.actions
  return (action: string): string => names[action] ?? action
}
