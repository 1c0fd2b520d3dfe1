import { useState } from "react"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { Panel } from "../ui/Panel.tsx"
import { PasswordForm } from "./PasswordForm.tsx"
import { Providers } from "./Providers.tsx"
import { SecondFactor } from "./SecondFactor.tsx"

/** How the person signs in: password, second factor with the browsers that need none, and accounts of the provider. */
export const Security = () => {
  const { account: texts } = useTexts()
  const [isChanging, setChanging] = useState(false)
  return (
    <div className="grid gap-4">
      <div className="mx-4">
        <Panel
          title={texts.password}
          actions={<Button onClick={() => setChanging(true)}>{texts.changePassword}</Button>}
        >
          <p className="max-w-[72ch] px-4 py-3 text-soft">{texts.passwordHint}</p>
        </Panel>
      </div>
      <SecondFactor />
      <Providers />
      {isChanging && <PasswordForm onClose={() => setChanging(false)} />}
    </div>
  )
}
