import { createHash } from "node:crypto"
import { policy as passwords } from "../../domain/Password.ts"

/**
 * The setup page: one document that brings its script and style with it and calls nothing but this server. Its
 * Content-Security-Policy names both by hash, so that nothing else can run in it.
 */
const style = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --line: #d5dae1; --ground: #f4f6f8; --card: #fff;
  --accent: #1f5eff; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf0; --soft: #9aa6b5; --line: #333d4a; --ground: #12171d;
  --card: #1a2129; --accent: #6d95ff; --bad: #ff8a80 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
main { width: min(26rem, calc(100vw - 2rem)); padding: 2rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .75rem }
h1 { margin: 0 0 .25rem; font-size: 1.35rem }
p { margin: 0 0 1.25rem; color: var(--soft) }
label { display: block; margin-bottom: 1rem; font-weight: 600 }
small { font-weight: 400; color: var(--soft) }
input { display: block; width: 100%; margin-top: .25rem; padding: .55rem .7rem; font: inherit; color: inherit;
  background: transparent; border: 1px solid var(--line); border-radius: .4rem }
input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
button { width: 100%; padding: .65rem; font: inherit; font-weight: 600; color: #fff; background: #1f5eff; border: 0;
  border-radius: .4rem; cursor: pointer }
button:disabled { opacity: .6; cursor: default }
[role=alert] { margin: 1rem 0 0; color: var(--bad) }
[hidden] { display: none }
code { font-size: .9em }
`

const script = `
const form = document.querySelector("form"), alert = document.querySelector("[role=alert]")
const token = new URLSearchParams(location.search).get("token") || ""
const say = (text) => { alert.textContent = text; alert.hidden = false }
history.replaceState(null, "", location.pathname)
if (token === "") say("This page needs the link that the brain printed when it started.")
form.addEventListener("submit", async (event) => {
  event.preventDefault()
  const button = form.querySelector("button"), { email, display_name, password, again } = form.elements
  if (password.value !== again.value) return say("The two passwords differ.")
  button.disabled = true
  alert.hidden = true
  try {
    const answer = await fetch("setup/complete", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, email: email.value, display_name: display_name.value || null, password: password.value })
    })
    if (answer.ok) {
      document.querySelector("#ask").hidden = true
      document.querySelector("#done").hidden = false
    } else say((await answer.json()).detail)
  } catch {
    say("The brain does not answer. Is it still running?")
  }
  button.disabled = false
})
`

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`

export const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; ` +
  "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

const page = (body: string) =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Set up svc</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`

const next = `<p>There is a project named <code>default</code>. Create an agent in it, and give its token and secret to your
workers; the <a href="api/v1/docs">API page</a> has every call.</p>`

/** While there is no user. */
export const form = page(`<div id="ask">
<h1>Set up svc</h1>
<p>You are the first one here. Make the account of the global admin.</p>
<form>
<label>E-mail address <input name="email" type="email" required maxlength="320" autocomplete="username" autofocus></label>
<label>Name <small>(optional)</small> <input name="display_name" maxlength="200" autocomplete="name"></label>
<label>Password <small>(at least ${passwords.min_length} characters)</small>
<input name="password" type="password" required minlength="${passwords.min_length}" maxlength="256" autocomplete="new-password"></label>
<label>Password again <input name="again" type="password" required autocomplete="new-password"></label>
<button>Create the account</button>
</form>
<div role="alert" hidden></div>
<noscript><p role="alert">This page needs JavaScript. Without it: <code>svc bootstrap-admin --email …</code></p></noscript>
</div>
<div id="done" hidden>
<h1>All set</h1>
<p>The account is made. You can sign in with it now.</p>
${next}
</div>
<script type="module">${script}</script>`)

/** Once there is one. */
export const done = page(`<h1>svc is set up</h1>
<p>There is an admin already. Sign in, or ask them for an account.</p>`)
