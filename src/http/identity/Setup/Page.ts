import { newPasswordFields, renderPage } from "../../Html/HtmlPage.ts"

const script = `
if (token === "") say("This page needs the link that the brain printed when it started.")
onSubmit("account", async ({ email, display_name, password, again }) => {
  if (differ({ password, again })) return
  const response = await post("setup/complete",
    { token, email: email.value, display_name: display_name.value || null, password: password.value })
  if (response.ok) show("done")
  else say(response.detail)
})
`

/** While there is no user. */
export const renderSetupForm = (hasDashboard: boolean) =>
  renderPage({
    title: "Set up svc",
    script,
    sections: `<section id="ask">
<h1>Set up svc</h1>
<p>This brain has no admin yet. Create the account of the global admin.</p>
<form id="account">
<label>E-mail address <input name="email" type="email" required maxlength="320" autocomplete="username" autofocus></label>
<label>Name <small>(optional)</small> <input name="display_name" maxlength="200" autocomplete="name"></label>
${newPasswordFields()}
<button>Create the account</button>
</form>
<noscript><p role="alert">This page needs JavaScript. Without it: <code>svc bootstrap-admin --email …</code></p></noscript>
</section>
<section id="done" hidden>
<h1>svc is set up</h1>
<p>The account is created. ${
      hasDashboard ? "<a href=\"./\">Sign in</a> with it, also on the command line" : "Sign in with it"
    }: <code>svc login --email …</code></p>
<p>There is a project named <code>default</code>. Create an agent in it, and give its token and secret to your
workers; the <a href="api/v1/docs">API page</a> has every call.</p>
</section>`
  })

/** Once there is one. */
export const setupDonePage = renderPage({
  title: "Set up svc",
  sections: `<h1>svc is set up</h1>
<p>The first admin exists. Sign in, or ask an admin for an account.</p>`
})
