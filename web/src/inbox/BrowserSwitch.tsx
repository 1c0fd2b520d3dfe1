import { useId } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { useBrowserNotifications } from "./useBrowserNotifications.ts"

/** Turns the notifications of this browser on and off. */
export const BrowserSwitch = () => {
  const { ownNotifications: { browser: texts } } = useTexts()
  const { choose, isOn, permission } = useBrowserNotifications()
  const hintId = useId()
  const hint = permission === "denied" ? texts.denied : permission === "unsupported" ? texts.unsupported : texts.hint
  return (
    <div className="grid gap-1 px-4 pb-4">
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={isOn}
          disabled={permission !== "granted" && permission !== "prompt"}
          aria-describedby={hintId}
          onChange={({ target }) => choose(target.checked)}
        />
        {texts.show}
      </label>
      <p id={hintId} className="text-small text-soft">{hint}</p>
    </div>
  )
}
