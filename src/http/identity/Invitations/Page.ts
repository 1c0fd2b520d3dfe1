import { maxInvitedPasswordLength } from "../../../domain/identity/Password.ts"
import { newPasswordField, renderPage } from "../../Html/HtmlPage.ts"

const renderScript = (hasDashboard: boolean) => `
let invited = { email: "" }
const accept = async (account) => {
  const response = await post("api/v1/invitations/accept", { token, ...account })
  if (response.ok) ${
  hasDashboard ? "csrf() ? location.assign(\"projects/\" + response.project_slug) : " : ""
}show("done")
  else if (response.code === "sign_in_first" || response.code === "wrong_account") show("known")
  else if (response.code === "mfa_required") show("second")
  else if (response.code === "validation_failed" && account === undefined) show("new")
  else say(response.detail)
}
await trying(async () => {
  const response = await post("api/v1/invitations/preview", { token })
  if (!response.ok) return say(response.code === "validation_failed" ? "This page needs the link of an invitation." : response.detail)
  invited = response
  for (const field of ["email", "role", "project_name"]) {
    for (const place of document.querySelectorAll("." + field)) place.textContent = response[field]
  }
  show("invited")
})
onSubmit("join", () => accept())
onSubmit("account", async ({ display_name, password }) => {
  await accept({ display_name: display_name.value, password: password.value })
})
onSubmit("login", async ({ current }) => {
  const response = await post("api/v1/auth/login", { email: invited.email, password: current.value })
  if (!response.ok) say(response.detail)
  else if (response.mfa_required) show("second")
  else await accept()
})
onSubmit("factor", async ({ code }) => {
  const response = await post("api/v1/auth/mfa/verify", { code: code.value.split(" ").join("") })
  if (response.ok) await accept()
  else say(response.detail)
})
`

/**
 * Asks the API who is invited to what, and whether the address has an account: then it signs in, else it makes one. It
 * ends in the project, in the dashboard; where the response signed nobody in, the person signs in there.
 */
export const renderInvitationPage = (hasDashboard: boolean) =>
  renderPage({
    title: "Invitation to svc",
    script: renderScript(hasDashboard),
    hasDashboard,
    sections: `<section id="waiting">
<h1>An invitation</h1>
</section>
<section id="invited" hidden>
<h1>Join <span class="project_name"></span></h1>
<p><span class="email"></span> is invited to this project as <span class="role"></span>.</p>
<form id="join"><button>Accept</button></form>
</section>
<section id="new" hidden>
<h1>Create your account</h1>
<p>For <span class="email"></span>.</p>
<form id="account">
<label>Name <input name="display_name" required maxlength="200" autocomplete="name"></label>
${newPasswordField(maxInvitedPasswordLength)}
<button>Create the account and join</button>
</form>
</section>
<section id="known" hidden>
<h1>Sign in first</h1>
<p>There is an account for <span class="email"></span>.</p>
<form id="login">
<label>Password <input name="current" type="password" required maxlength="256" autocomplete="current-password"></label>
<button>Sign in and join</button>
</form>
<p><a href="reset-password">Forgot the password?</a></p>
</section>
<section id="second" hidden>
<h1>One more step</h1>
<p>This account has a second factor.</p>
<form id="factor">
<label>Code <small>(of your authenticator app, or a recovery code)</small>
<input name="code" required maxlength="64" autocomplete="one-time-code"></label>
<button>Join</button>
</form>
</section>
<section id="done" hidden>
<h1>You are in</h1>
<p>You are a member of <span class="project_name"></span> now, as <span class="role"></span>.</p>
${hasDashboard ? "<p><a href=\"./\">Sign in</a></p>" : ""}
</section>
<noscript><p role="alert">This page needs JavaScript.</p></noscript>`
  })
