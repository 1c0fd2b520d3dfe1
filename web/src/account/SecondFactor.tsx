import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { RecoveryCodes } from "../secondFactor/RecoveryCodes.tsx"
import { factorQuery } from "../secondFactor/secondFactor.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { ShownOnce } from "../ui/ShownOnce.tsx"
import { Time } from "../ui/Time.tsx"
import { TrustedDevices } from "./TrustedDevices.tsx"

/** Fewer codes than this are pointed out. */
const fewCodes = 3

const DisableForm = ({ onClose }: { readonly onClose: () => void }) => {
  const { secondFactor: texts, session } = useTexts()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.disable}
      submit={texts.disable}
      variant="danger"
      onClose={onClose}
      onSubmit={async (form) => {
        await unwrap(api.POST("/api/v1/auth/mfa/disable", {
          body: { password: String(form.get("password") ?? ""), code: fieldText(form, "code") }
        }))
        // where the policy requires a factor, the next call of any kind leads to its setup
        await queries.invalidateQueries()
      }}
    >
      <p className="text-soft">{texts.disableHint}</p>
      <TextField
        label={session.password}
        name="password"
        type="password"
        autoComplete="current-password"
        data-autofocus
      />
      <TextField label={session.code} hint={session.codeHint} name="code" autoComplete="one-time-code" maxLength={20} />
    </FormDialog>
  )
}

const RegenerateQuestion = ({ onClose, onCodes }: {
  readonly onCodes: (codes: ReadonlyArray<string>) => void
  readonly onClose: () => void
}) => {
  const { secondFactor: texts } = useTexts()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.regenerate}
      submit={texts.regenerate}
      onClose={onClose}
      onSubmit={async () => {
        const { recovery_codes } = await unwrap(api.POST("/api/v1/auth/mfa/recovery-codes/regenerate"))
        onCodes(recovery_codes)
        await queries.invalidateQueries(factorQuery)
      }}
    >
      <p className="text-soft">{texts.regenerateHint}</p>
    </FormDialog>
  )
}

/** Whether a second factor is set up, and what can be done about it. */
export const SecondFactor = () => {
  const { secondFactor: texts } = useTexts()
  const format = useFormat()
  const status = useQuery(factorQuery)
  const [dialog, setDialog] = useState<"disable" | "regenerate" | null>(null)
  const [codes, setCodes] = useState<ReadonlyArray<string> | null>(null)
  const close = () => setDialog(null)
  const { enrolled, enrolled_at, remaining_recovery_codes = 0 } = status.data ?? {}
  return (
    <>
      <div className="mx-4">
        <Panel
          title={texts.title}
          actions={enrolled === true
            ? (
              <>
                <Button onClick={() => setDialog("regenerate")}>{texts.regenerate}</Button>
                <Button variant="danger" onClick={() => setDialog("disable")}>{texts.disable}</Button>
              </>
            )
            : enrolled === false && <Link to="/second-factor" className={buttonClass()}>{texts.setUp}</Link>}
        >
          <ListFrame list={status} isEmpty={false} empty={null}>
            {enrolled === true
              ? (
                <Facts>
                  <Fact name={texts.since}>{enrolled_at && <Time at={enrolled_at} />}</Fact>
                  <Fact name={texts.codesLeft}>
                    <span className={remaining_recovery_codes < fewCodes ? "text-retry" : ""}>
                      {format.number(remaining_recovery_codes)}
                      {remaining_recovery_codes < fewCodes && ` – ${texts.fewCodes}`}
                    </span>
                  </Fact>
                </Facts>
              )
              : <p className="max-w-[72ch] px-4 py-3 text-soft">{texts.intro}</p>}
          </ListFrame>
        </Panel>
      </div>
      {enrolled === true && <TrustedDevices />}
      {dialog === "disable" && <DisableForm onClose={close} />}
      {dialog === "regenerate" && <RegenerateQuestion onCodes={setCodes} onClose={close} />}
      {dialog === null && codes !== null && (
        <ShownOnce title={texts.codes} onClose={() => setCodes(null)}>
          <RecoveryCodes codes={codes} />
        </ShownOnce>
      )}
    </>
  )
}
