import type { Schemas } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { groupScopes } from "./scopes.ts"

const useExplanation = () => {
  const { apiKeys: texts } = useTexts()
  const explanations: Readonly<Record<string, string>> = texts.scopeHints
  // a newer brain may have a scope without a text here
  return (scope: string) => explanations[scope] ?? ""
}

/** Every scope with what it allows, to tick; those that only global admins can give are shown to them alone. */
export const ScopeFields = ({ chosen, onChoose, presets, scopes }: {
  /** Scopes for a purpose; a button chooses those. */
  readonly presets: Schemas["ScopeList"]["presets"]
  readonly scopes: ReadonlyArray<string>
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}) => {
  const { apiKeys: texts } = useTexts()
  const explain = useExplanation()
  const titles: Readonly<Record<string, string>> = texts.resources
  const toggle = (scope: string) => {
    const next = new Set(chosen)
    if (!next.delete(scope)) next.add(scope)
    onChoose(next)
  }
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">{texts.scopes}</legend>
      <p className="text-soft">{texts.scopesHint}</p>
      <div className="flex flex-wrap gap-2">
        {presets.map(({ name, scopes }) => (
          <Button key={name} onClick={() => onChoose(new Set(scopes))}>{texts.presets[name]}</Button>
        ))}
        <Button onClick={() => onChoose(new Set())}>{texts.chooseNone}</Button>
      </div>
      <div
        className="grid max-h-[40dvh] gap-3 overflow-y-auto rounded-base border border-line px-3 py-2"
        tabIndex={0}
        role="group"
        aria-label={texts.scopes}
      >
        {groupScopes(scopes).map(([resource, members]) => (
          <div key={resource} className="grid gap-1 md:grid-cols-[140px_1fr]">
            <p className="font-medium">{titles[resource] ?? resource}</p>
            <div className="grid gap-1">
              {members.map((scope) => (
                <label key={scope} className="grid grid-cols-[auto_1fr] items-start gap-x-2">
                  <input
                    type="checkbox"
                    className="mt-0.5"
                    checked={chosen.has(scope)}
                    onChange={() => toggle(scope)}
                  />
                  <span>
                    <code className="font-mono text-small">{scope}</code>
                    <span className="block text-soft">{explain(scope)}</span>
                  </span>
                </label>
              ))}
            </div>
          </div>
        ))}
      </div>
    </fieldset>
  )
}
