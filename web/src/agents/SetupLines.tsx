import { useTexts } from "../i18n/Language.tsx"
import { CopyButton } from "../ui/CopyButton.tsx"
import { type AgentSecrets, setupLines } from "./setup.ts"
import type { SetupEngine } from "./setupEngines.ts"

/** What to run and to write for an engine, each part with a button that copies it. */
export const SetupLines = ({ engine, secrets }: { readonly engine: SetupEngine; readonly secrets: AgentSecrets }) => {
  const { agents: texts } = useTexts()
  return (
    <div className="grid gap-5">
      <p role="status" className="rounded-base border border-line bg-paper px-5 py-4">{texts.shownOnce}</p>
      <ol className="grid gap-5">
        {setupLines(engine, secrets).map(({ step, text }) => (
          <li key={step} className="grid gap-2">
            <div className="flex items-center gap-3">
              <span className="font-medium">{texts.steps[step]}</span>
              <CopyButton text={text} label={texts.steps[step]} />
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
