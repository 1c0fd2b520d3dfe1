import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { api, base, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { parseSearch, wallIn } from "../searchParams.ts"
import { WallNotice } from "../shell/WallNotice.tsx"
import { Button } from "../ui/Button.tsx"
import { CheckField, fieldText, TextField } from "../ui/Fields.tsx"
import { Problem } from "../ui/Problem.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { useSubmit } from "../ui/useSubmit.ts"

/** Password, then the second factor if the account has one; afterwards the page where the person was. */
export const SignInPage = () => {
  const { session: texts, wall } = useTexts()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { ended, factor, to } = useSearch({ from: "/sign-in" })
  const [step, setStep] = useState<"password" | "code">(factor === true ? "code" : "password")
  const { failure, isBusy, submitWith } = useSubmit()
  const provider = useQuery({
    queryKey: ["oidc"],
    queryFn: () => unwrap(api.GET("/api/v1/auth/oidc")),
    retry: false
  })

  /** Whether the person is signed in: a password may be followed by a code. */
  const signIn = async (form: FormData): Promise<boolean> => {
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
  }
  const submit = async (form: FormData) => {
    if (!(await signIn(form))) return
    queries.clear()
    await navigate({ to: to ?? "/", replace: true })
  }

  const isOfWall = to !== undefined && wallIn(parseSearch(to.split("?")[1] ?? "")).wall === 1
  return (
    <main className="flex min-h-dvh flex-col">
      {isOfWall && <WallNotice>{wall.signedOut}</WallNotice>}
      <form
        key={step}
        onSubmit={submitWith(submit)}
        className="m-auto grid w-[min(24rem,calc(100%-2rem))] gap-4 rounded-large border border-line bg-paper p-6"
      >
        <h1 className="text-title font-semibold">{step === "code" ? texts.codeTitle : texts.title}</h1>
        {ended === true && step === "password" && !isOfWall && <p className="text-soft">{texts.ended}</p>}
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
          <a href={`${base}/reset-password`} className={`${linkClass.text} text-soft`}>{texts.forgot}</a>
        )}
      </form>
    </main>
  )
}
