import { newPasswordField, renderPage } from "../../Html/HtmlPage.ts"

const script = `
if (token !== "") show("set")
onSubmit("forgotten", async ({ email }) => {
  const response = await post("api/v1/auth/password-reset/request", { email: email.value })
  if (response.ok) show("asked")
  else say(response.detail)
})
onSubmit("fresh", async ({ password }) => {
  const response = await post("api/v1/auth/password-reset/confirm", { token, new_password: password.value })
  if (!response.ok) return say(response.detail)
  byId("count").textContent = response.working_api_keys
  byId("keys").hidden = response.working_api_keys === 0
  show("done")
})
`

const requestForm = `<p>Which account is it? A link to set a new password goes to its e-mail address.</p>
<form id="forgotten">
<label>E-mail address <input name="email" type="email" required maxlength="320" autocomplete="username" autofocus></label>
<button>Send the link</button>
</form>`

const noMailNotice =
  `<p>This server sends no mail. Ask its operator for a link: <code>svc auth reset-link</code> prints one.</p>
<form id="forgotten" hidden><button>Send the link</button></form>`

const keysNotice = (hasDashboard: boolean): string =>
  hasDashboard
    ? "look at <a href=\"account?tab=keys\">them</a>"
    : "look at them (<code>GET /api/v1/api-keys</code>)"

/** The page; `sendsMail` and `hasDashboard` as the settings have it. */
export const renderResetPage = ({ hasDashboard, sendsMail }: {
  readonly hasDashboard: boolean
  readonly sendsMail: boolean
}) =>
  renderPage({
    title: "A new password for svc",
    script,
    hasDashboard,
    sections: `<section id="ask">
<h1>Forgot the password?</h1>
${sendsMail ? requestForm : noMailNotice}
</section>
<section id="asked" hidden>
<h1>Check your mail</h1>
<p>If an account has this address, the server mails a link to it. The link works once, for 30 minutes.</p>
</section>
<section id="set" hidden>
<h1>Set a new password</h1>
<p>It ends all your sessions: sign in again in every browser.</p>
<form id="fresh">
${newPasswordField()}
<button>Set the password</button>
</form>
</section>
<section id="done" hidden>
<h1>The password is set</h1>
<p>You can ${hasDashboard ? "<a href=\"./\">sign in</a>" : "sign in"} with it now.</p>
<p id="keys" hidden>API keys of the account that still work: <span id="count"></span>. If others may have known the old password,
${keysNotice(hasDashboard)} and revoke what you do not know.</p>
</section>
<noscript><p role="alert">This page needs JavaScript.</p></noscript>`
  })
