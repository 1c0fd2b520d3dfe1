import { Link } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { Button, buttonClass } from "../ui/Button.tsx"
import { DoneMark } from "../ui/DoneMark.tsx"
import { Panel } from "../ui/Panel.tsx"
import type { FirstStep } from "./useFirstSteps.ts"

/** From nothing to a project that is watched: each step with its way forward, the next one first at sight. */
export const FirstSteps = ({ onDismiss, slug, steps }: {
  readonly slug: string
  readonly steps: ReadonlyArray<FirstStep>
  readonly onDismiss: () => void
}) => {
  const { overview: { dismiss, firstSteps: texts } } = useTexts()
  const next = steps.find(({ isDone }) => isDone === false)
  return (
    <div className="mx-4">
      <Panel title={texts.title} actions={<Button variant="quiet" onClick={onDismiss}>{dismiss}</Button>}>
        <ol>
          {steps.map(({ isDone, name, search, to }) => (
            <li key={name} className="flex items-center gap-3 border-b border-line px-4 py-3 last:border-0">
              <DoneMark isDone={isDone === true} />
              <div className="min-w-0 flex-1">
                <p className={isDone === true ? "text-soft" : "font-medium"}>
                  {texts.steps[name].name}
                  {isDone === true && <span className="sr-only">: {texts.done}</span>}
                </p>
                {isDone !== true && <p className="max-w-[72ch] text-soft">{texts.steps[name].hint}</p>}
              </div>
              {isDone === false && (
                <Link
                  to={to}
                  params={{ slug }}
                  {...(search !== undefined && { search })}
                  className={buttonClass(name === next?.name ? "primary" : "plain")}
                >
                  {texts.steps[name].action}
                </Link>
              )}
            </li>
          ))}
        </ol>
      </Panel>
    </div>
  )
}
