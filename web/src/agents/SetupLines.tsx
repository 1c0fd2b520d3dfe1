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
    <div className="grid gap-5">
      <p role="status" className="rounded-base border border-line bg-paper px-5 py-4">{texts.shownOnce}</p>
      <div className="-mx-5">
        <Tabs label={texts.choosePlace} tabs={texts.places} value={place} onChoose={setPlace} />
      </div>
      <ol className="grid min-w-0 gap-5">
        {setupLines(engine, place, secrets).map(({ step, text }) => (
          <li key={step} className="grid min-w-0 gap-2">
            <div className="flex items-center gap-3">
              <span className="font-medium">{texts.steps[step]}</span>
              <CopyButton text={text} label={texts.steps[step]}>{copy}</CopyButton>
            </div>
            <pre
              tabIndex={0}
              data-step={step}
              className="overflow-x-auto rounded-base border border-line bg-paper px-5 py-4 font-mono text-[12px] leading-[18px]"
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
