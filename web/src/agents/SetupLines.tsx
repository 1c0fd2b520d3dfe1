import { useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { Tabs } from "../ui/Tabs.tsx"
import { type AgentSecrets, setupLines, type SetupPlace } from "./setup.ts"
import type { SetupEngine } from "./setupEngines.ts"

/** What to run and to write for an engine, each part with a button that copies it. */
export const SetupLines = ({ engine, secrets }: { readonly engine: SetupEngine; readonly secrets: AgentSecrets }) => {
  const { agents: texts, copy } = useTexts()
  const [place, setPlace] = useState<SetupPlace>("shell")
  return (
    <div className="grid gap-4">
      <p role="status" className="rounded-base border border-line bg-paper px-4 py-3">{texts.shownOnce}</p>
      <div className="-mx-4">
        <Tabs label={texts.choosePlace} tabs={texts.places} value={place} onChoose={setPlace} />
      </div>
      <ol className="grid min-w-0 gap-4">
        {setupLines(engine, place, secrets).map(({ step, text }) => (
          <li key={step} className="grid min-w-0 gap-1">
            <div className="flex items-center gap-2">
              <span className="font-medium">{texts.steps[step]}</span>
              <CopyButton text={text} label={texts.steps[step]}>{copy}</CopyButton>
            </div>
            <pre
              tabIndex={0}
              data-step={step}
              className="overflow-x-auto rounded-base border border-line bg-paper px-4 py-3 font-mono text-[12px] leading-4.5"
            >
              {text}
            </pre>
          </li>
        ))}
      </ol>
      {engine === "celery" && <p className="text-soft">{texts.celeryHostname}</p>}
      {secrets.brainUrl.startsWith("http://") && <p className="text-soft">{texts.plainHttp}</p>}
    </div>
  )
}
