import { HttpServerResponse } from "@effect/platform"
import { createHash } from "node:crypto"
import { maxPasswordLength, passwordPolicy } from "../../domain/identity/Password.ts"

/**
 * The few pages that the brain shows to people: each one document that brings its script and style with it and calls
 * nothing but this server. Its Content-Security-Policy names both by hash, so that nothing else can run in it.
 */
export interface HtmlPage {
  readonly html: string
  readonly policy: string
}

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
a { color: var(--accent) }
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

/**
 * Shared by the scripts. The token is removed from the address bar before anything else. Requests of a session carry
 * its CSRF token. `show(id)` shows one section of the page and hides the previous message.
 */
const helpers = `
const token = new URLSearchParams(location.search).get("token") || ""
history.replaceState(null, "", location.pathname)
const byId = (id) => document.getElementById(id)
const say = (text) => { byId("alert").textContent = text; byId("alert").hidden = false }
const show = (id) => {
  for (const part of document.querySelectorAll("section")) part.hidden = part.id !== id
  byId("alert").hidden = true
}
const csrf = () => (/(?:^|; )(?:__Host-)?svc_csrf=([^;]*)/.exec(document.cookie) || [])[1]
const post = async (path, body) => {
  const headers = { "content-type": "application/json", ...(csrf() && { "x-csrf-token": csrf() }) }
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })
  return { ok: response.ok, ...(await response.json()) }
}
const trying = async (work) => {
  try { await work() } catch { say("The brain does not answer. Is it still running?") }
}
const onSubmit = (id, work) => byId(id).addEventListener("submit", async (event) => {
  event.preventDefault()
  const button = byId(id).querySelector("button")
  byId("alert").hidden = true
  button.disabled = true
  await trying(() => work(byId(id).elements))
  button.disabled = false
})
const differ = ({ password, again }) => password.value !== again.value && (say("The two passwords differ."), true)
`

/** The two fields of a new password of at most `most` characters. */
export const newPasswordFields = (most = maxPasswordLength): string =>
  `<label>Password <small>(at least ${passwordPolicy.min_length} characters)</small>
<input name="password" type="password" required minlength="${passwordPolicy.min_length}" maxlength="${most}" autocomplete="new-password"></label>
<label>Password again <input name="again" type="password" required autocomplete="new-password"></label>`

/** Three queued bars; within the page, so that the browser asks for no other file. */
const icon = "data:image/svg+xml," + encodeURIComponent(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='3' fill='#1f5eff'/>" +
    "<path d='M4 5h8M4 8h8M4 11h5' stroke='#fff' stroke-width='1.6' stroke-linecap='round'/></svg>"
)

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`

/** A page of `sections`, HTML of our own, and what happens in it. */
export const renderPage = ({ css = "", script, sections, title }: {
  readonly title: string
  readonly sections: string
  readonly script?: string
  /** Style in addition to the house's. */
  readonly css?: string
}): HtmlPage => {
  const whole = script === undefined ? "" : helpers + script
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>${style}${css}</style>
</head>
<body>
<main>
${sections}
<div id="alert" role="alert" hidden></div>
</main>
${script === undefined ? "" : `<script type="module">${whole}</script>`}
</body>
</html>
`,
    policy:
      `default-src 'none'; script-src ${script === undefined ? "'none'" : hashOf(whole)}; style-src ${
        hashOf(style + css)
      }; ` +
      "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; img-src data:"
  }
}

/** The page as a response. `middleware/Request.ts` sets the no-store and no-referrer headers for all responses. */
export const respondWithPage = ({ html, policy }: HtmlPage) =>
  HttpServerResponse.text(html, {
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": policy }
  })
