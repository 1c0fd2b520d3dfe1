import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { api, base, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { CheckField, fieldText, TextField } from "../ui/Fields.tsx"
import { Problem } from "../ui/Problem.tsx"

/** Password, then the second factor if the account has one; afterwards the page where the person was. */
export const SignInPage = () => {
  const { session: texts } = useTexts()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { ended, factor, to } = useSearch({ from: "/sign-in" })
  const [step, setStep] = useState<"password" | "code">(factor === true ? "code" : "password")
  const [failure, setFailure] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const provider = useQuery({
    queryKey: ["oidc"],
    queryFn: () => unwrap(api.GET("/api/v1/auth/oidc")),
    retry: false
  })

  const attempt = async (work: () => Promise<boolean>) => {
    setBusy(true)
    setFailure(null)
    try {
      if (!(await work())) return
      queries.clear()
      await navigate({ to: to ?? "/", replace: true })
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    void attempt(async () => {
      if (step === "code") {
        await unwrap(api.POST("/api/v1/auth/mfa/verify", {
          body: { code: fieldText(form, "code"), remember_device: form.get("trust") !== null }
        }))
        return true
      }
      const login = await unwrap(api.POST("/api/v1/auth/login", {
        body: {
          email: fieldText(form, "email"),
          password: String(form.get("password") ?? ""),
          remember_me: form.get("remember") !== null
        }
      }))
      if (login.mfa_required) setStep("code")
      return !login.mfa_required
    })
  }

  return (
    <main className="grid min-h-dvh place-items-center p-4">
      <form
        key={step}
        onSubmit={submit}
        className="grid w-[min(24rem,100%)] gap-4 rounded-large border border-line bg-paper p-6"
      >
        <h1 className="text-title font-semibold">{step === "code" ? texts.codeTitle : texts.title}</h1>
        {ended === true && step === "password" && <p className="text-soft">{texts.ended}</p>}
        {step === "code"
          ? (
            <>
              <p className="text-soft">{texts.codeHint}</p>
              <TextField
                label={texts.code}
                name="code"
                autoComplete="one-time-code"
                inputMode="text"
                maxLength={40}
                autoFocus
              />
              <CheckField name="trust" label={texts.trust} />
            </>
          )
          : (
            <>
              <TextField label={texts.email} name="email" type="email" autoComplete="username" autoFocus />
              <TextField label={texts.password} name="password" type="password" autoComplete="current-password" />
              <CheckField name="remember" label={texts.remember} />
            </>
          )}
        {failure !== null && <Problem error={failure} />}
        <Button type="submit" variant="primary" disabled={isBusy} className="h-9">
          {step === "code" ? texts.verify : texts.submit}
        </Button>
        {provider.data?.enabled === true && step === "password" && (
          <a
            href={`${base}/api/v1/auth/oidc/start?return_to=${
              encodeURIComponent(new URL(base).pathname.replace(/\/$/, "") + (to ?? "/"))
            }`}
            className="rounded-base border border-line p-2 text-center font-medium hover:bg-hover"
          >
            {provider.data.provider ?? texts.provider}
          </a>
        )}
        {step === "password" && (
          <a href={`${base}/reset-password`} className="text-soft underline underline-offset-2">{texts.forgot}</a>
        )}
      </form>
    </main>
  )
}
