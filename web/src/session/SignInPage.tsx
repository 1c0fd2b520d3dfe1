import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type FormEvent, type InputHTMLAttributes, useId, useState } from "react"
import { api, base, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { useErrorText } from "../ui/Notices.tsx"

const Field = ({ label, ...input }: { readonly label: string } & InputHTMLAttributes<HTMLInputElement>) => {
  const id = useId()
  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="font-medium">{label}</label>
      <input
        id={id}
        required
        className="h-[36px] rounded-base border border-line-strong bg-paper px-4"
        {...input}
      />
    </div>
  )
}

const Check = ({ label, name }: { readonly label: string; readonly name: string }) => (
  <label className="flex items-center gap-3">
    <input type="checkbox" name={name} className="accent-ink" />
    {label}
  </label>
)

const textOf = (form: FormData, name: string) => String(form.get(name) ?? "")

/** Password, then the second factor if the account has one; afterwards the page where the person was. */
export const SignInPage = () => {
  const { session: texts } = useTexts()
  const errorText = useErrorText()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { ended, factor, to } = useSearch({ from: "/sign-in" })
  const [step, setStep] = useState<"password" | "code">(factor === true ? "code" : "password")
  const [problem, setProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const provider = useQuery({
    queryKey: ["oidc"],
    queryFn: () => unwrap(api.GET("/api/v1/auth/oidc")),
    retry: false
  })

  const attempt = async (work: () => Promise<boolean>) => {
    setBusy(true)
    setProblem(null)
    try {
      if (!(await work())) return
      queries.clear()
      await navigate({ to: to ?? "/", replace: true })
    } catch (error) {
      setProblem(errorText(error))
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
          body: { code: textOf(form, "code").trim(), remember_device: form.get("trust") !== null }
        }))
        return true
      }
      const answer = await unwrap(api.POST("/api/v1/auth/login", {
        body: {
          email: textOf(form, "email"),
          password: textOf(form, "password"),
          remember_me: form.get("remember") !== null
        }
      }))
      if (answer.mfa_required) setStep("code")
      return !answer.mfa_required
    })
  }

  return (
    <main className="grid min-h-dvh place-items-center p-5">
      <form
        key={step}
        onSubmit={submit}
        className="grid w-[min(24rem,100%)] gap-5 rounded-large border border-line bg-paper p-6"
      >
        <h1 className="text-title font-semibold">{step === "code" ? texts.codeTitle : texts.title}</h1>
        {ended === true && step === "password" && <p className="text-soft">{texts.ended}</p>}
        {step === "code"
          ? (
            <>
              <p className="text-soft">{texts.codeHint}</p>
              <Field
                label={texts.code}
                name="code"
                autoComplete="one-time-code"
                inputMode="text"
                maxLength={40}
                autoFocus
              />
              <Check name="trust" label={texts.trust} />
            </>
          )
          : (
            <>
              <Field label={texts.email} name="email" type="email" autoComplete="username" autoFocus />
              <Field label={texts.password} name="password" type="password" autoComplete="current-password" />
              <Check name="remember" label={texts.remember} />
            </>
          )}
        {problem !== null && <p role="alert" className="text-failure">{problem}</p>}
        <Button type="submit" look="primary" disabled={isBusy} className="h-[36px]">
          {step === "code" ? texts.verify : texts.submit}
        </Button>
        {provider.data?.enabled === true && step === "password" && (
          <a
            href={`${base}/api/v1/auth/oidc/start?return_to=${
              encodeURIComponent(new URL(base).pathname.replace(/\/$/, "") + (to ?? "/"))
            }`}
            className="rounded-base border border-line p-3 text-center font-medium hover:bg-hover"
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
