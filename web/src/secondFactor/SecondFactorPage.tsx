import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type FormEvent, type ReactNode, useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { fieldText, TextField } from "../ui/Fields.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
import { Problem } from "../ui/Problem.tsx"
import { CopyLine } from "../ui/ShownOnce.tsx"
import { useSubmit } from "../ui/useSubmit.ts"
import { QrCode } from "./QrCode.tsx"
import { RecoveryCodes } from "./RecoveryCodes.tsx"
import { factorQuery } from "./secondFactor.ts"

/** One step of the enrolment after the other; each returns the next, and a refusal stays on its step. */
type Step =
  | { readonly name: "start" }
  | { readonly name: "scan"; readonly secret: Schemas["EnrollmentStarted"] }
  | { readonly name: "codes"; readonly codes: ReadonlyArray<string> }

const useSteps = () => {
  const [step, setStep] = useState<Step>({ name: "start" })
  const { failure, isBusy, send } = useSubmit()
  const go = (work: () => Promise<Step>) => send(async () => setStep(await work()))
  const start = () =>
    go(async () => ({ name: "scan", secret: await unwrap(api.POST("/api/v1/auth/mfa/enroll-start")) }))
  const complete = (code: string) =>
    go(async () => {
      const { recovery_codes } = await unwrap(api.POST("/api/v1/auth/mfa/enroll-complete", { body: { code } }))
      return { name: "codes", codes: recovery_codes }
    })
  return { step, failure, isBusy, start, complete }
}

const Scan = ({ onCode, secret }: {
  readonly secret: Schemas["EnrollmentStarted"]
  readonly onCode: (code: string) => void
}) => {
  const { secondFactor: texts, session } = useTexts()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onCode(fieldText(new FormData(event.currentTarget), "code").replaceAll(/\s/g, ""))
  }
  return (
    <>
      <p>{texts.scan}</p>
      <QrCode text={secret.provisioning_url} label={texts.qrCode} />
      <CopyLine label={texts.manualKey} text={secret.secret_base32} />
      <form id="code" className="grid gap-4" onSubmit={submit}>
        <TextField
          label={session.code}
          hint={texts.codeHint}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="[0-9 ]{6,7}"
          maxLength={7}
          autoFocus
        />
      </form>
    </>
  )
}

const Frame = ({ children, title }: { readonly title: string; readonly children: ReactNode }) => (
  <main className="grid min-h-dvh place-items-center p-4">
    <div className="grid w-[min(28rem,100%)] gap-4 rounded-large border border-line bg-paper p-6">
      <h1 className="text-title font-semibold">{title}</h1>
      {children}
    </div>
  </main>
)

/** Sets up the second factor and leads back to where the person was; also for those who may do nothing else before. */
export const SecondFactorPage = () => {
  const { to = "/account?tab=security" } = useSearch({ from: "/second-factor" })
  const { secondFactor: texts, session } = useTexts()
  const format = useFormat()
  const now = useNow()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const status = useQuery(factorQuery)
  const { complete, failure, isBusy, start, step } = useSteps()
  const leave = (path: string) => {
    queries.clear()
    return navigate({ to: path })
  }
  const signOut = () => unwrap(api.POST("/api/v1/auth/logout")).finally(() => leave("/sign-in"))
  if (step.name === "codes") {
    return (
      <Frame title={texts.codes}>
        <RecoveryCodes codes={step.codes} />
        <Button variant="primary" className="h-9" onClick={() => void leave(to)}>{texts.continue}</Button>
      </Frame>
    )
  }
  if (status.data === undefined) {
    return (
      <Frame title={texts.setUp}>
        {status.isError ? <ErrorNotice error={status.error} onRetry={() => void status.refetch()} /> : <Loading />}
      </Frame>
    )
  }
  const { enrolled, enrollment_deadline, enrollment_required } = status.data
  const deadline = enrollment_deadline === null ? null : Date.parse(enrollment_deadline)
  const isOverdue = enrollment_required && deadline !== null && deadline <= now
  return (
    <Frame title={texts.setUp}>
      {enrolled && <p>{texts.isEnrolled}</p>}
      {!enrolled && enrollment_required && deadline !== null && (
        <p className="font-medium">
          {isOverdue ? texts.overdue(format.dateTime(deadline)) : texts.required(format.dateTime(deadline))}
        </p>
      )}
      {!enrolled && step.name === "start" && <p className="text-soft">{texts.intro}</p>}
      {step.name === "scan" && <Scan secret={step.secret} onCode={(code) => void complete(code)} />}
      {failure !== null && <Problem error={failure} />}
      {!enrolled && (step.name === "start"
        ? (
          <Button variant="primary" className="h-9" disabled={isBusy} onClick={() => void start()}>
            {texts.begin}
          </Button>
        )
        : (
          <Button variant="primary" className="h-9" type="submit" form="code" disabled={isBusy}>
            {session.verify}
          </Button>
        ))}
      {isOverdue
        ? <Button variant="quiet" onClick={() => void signOut()}>{session.signOut}</Button>
        : <Button variant="quiet" onClick={() => void leave(to)}>{texts.back}</Button>}
    </Frame>
  )
}
