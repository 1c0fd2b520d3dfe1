import { newPasswordField, renderPage } from "../../Html/HtmlPage.ts"

const renderScript = (hasDashboard: boolean) => `
if (token === "") say("This page needs the link that the server printed when it started.")
onSubmit("account", async ({ email, display_name, password }) => {
  const response = await post("setup/complete",
    { token, email: email.value, display_name: display_name.value || null, password: password.value })
  if (!response.ok) return say(response.detail)
  ${hasDashboard ? "location.assign(\"projects/default/agents/new\")" : "show(\"done\")"}
})
`

const done = `<section id="done" hidden>
<h1>svc is set up</h1>
<p>The account is created. Sign in with it: <code>svc login --email …</code></p>
<p>There is a project named <code>default</code>. Create an agent in it, and give its token and secret to your
workers; the <a href="api/v1/docs">API page</a> has every call.</p>
</section>`

/** While there is no user. In the dashboard the new admin is signed in, and connects an agent of the first project next. */
export const renderSetupForm = (hasDashboard: boolean) =>
  renderPage({
    title: "Set up svc",
    script: renderScript(hasDashboard),
    hasDashboard,
    sections: `<section id="ask">
<h1>Set up svc</h1>
<p>This server has no admin yet. Create the account of its first admin.</p>
<form id="account">
<label>E-mail address <input name="email" type="email" required maxlength="320" autocomplete="username" autofocus></label>
<label>Name <small>(optional)</small> <input name="display_name" maxlength="200" autocomplete="name"></label>
${newPasswordField()}
<button>Create the account</button>
</form>
<noscript><p role="alert">This page needs JavaScript. Without it: <code>svc bootstrap-admin --email …</code></p></noscript>
</section>
${hasDashboard ? "" : done}`
  })

/** Once there is one. */
export const renderSetupDone = (hasDashboard: boolean) =>
  renderPage({
    title: "Set up svc",
    hasDashboard,
    sections: `<h1>svc is set up</h1>
<p>The first admin exists. ${
      hasDashboard ? "<a href=\"./\">Sign in</a>" : "Sign in"
    }, or ask an admin for an account.</p>`
  })
