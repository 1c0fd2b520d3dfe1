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

/** Looks as the dashboard's sign-in does; the values are those of web/src/theme/tokens.css (`test/web/theme.test.ts`). */
const style = `
:root { color-scheme: light dark; --canvas: light-dark(oklch(0.975 0.003 250), oklch(0.165 0.008 255));
  --paper: light-dark(oklch(1 0 0), oklch(0.2 0.009 255)); --line: light-dark(oklch(0.905 0.006 250), oklch(0.29 0.01 255));
  --line-strong: light-dark(oklch(0.62 0.012 250), oklch(0.58 0.012 255));
  --ink: light-dark(oklch(0.24 0.02 255), oklch(0.94 0.006 250));
  --soft: light-dark(oklch(0.47 0.018 255), oklch(0.73 0.012 250));
  --inverse: light-dark(oklch(1 0 0), oklch(0.165 0.008 255));
  --failure: light-dark(oklch(0.52 0.19 25), oklch(0.72 0.16 25)) }
:root[data-theme="light"] { color-scheme: light }
:root[data-theme="dark"] { color-scheme: dark }
* { box-sizing: border-box }
body { margin: 0; min-height: 100dvh; padding: 16px; display: grid; place-items: center; background: var(--canvas);
  color: var(--ink); font: 0.8125rem/1.25rem "Inter Variable", ui-sans-serif, system-ui, sans-serif;
  -webkit-font-smoothing: antialiased }
main { width: min(24rem, 100%); padding: 24px; background: var(--paper); border: 1px solid var(--line);
  border-radius: 10px }
a { color: inherit; text-underline-offset: 2px }
h1 { margin: 0 0 16px; font-size: 1.125rem; line-height: 1.5rem; font-weight: 600; overflow-wrap: anywhere }
p { margin: 0 0 16px; color: var(--soft) }
section > :last-child, form > :last-child { margin-bottom: 0 }
form + p { margin-top: 16px }
label { display: block; margin-bottom: 16px; font-weight: 500 }
small { font-size: 0.6875rem; font-weight: 400; color: var(--soft) }
input { display: block; width: 100%; height: 36px; margin-top: 4px; padding: 0 12px; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--line-strong); border-radius: 6px }
label:has([type=checkbox]) { display: flex; align-items: center; gap: 8px; font-weight: 400 }
input[type=checkbox] { width: auto; height: auto; margin: 0; accent-color: var(--ink) }
:focus-visible { outline: 2px solid var(--ink); outline-offset: 1px }
button { width: 100%; height: 36px; font: inherit; font-weight: 500; color: var(--inverse); background: var(--ink);
  border: 0; border-radius: 6px; cursor: pointer }
button:hover { opacity: .85 }
button:disabled { opacity: .5; cursor: default }
[role=alert] { margin: 16px 0 0; color: var(--failure) }
[hidden] { display: none }
code { font: 0.75rem "JetBrains Mono Variable", ui-monospace, monospace; overflow-wrap: anywhere }
`

/** The dashboard's font, where there is a dashboard (`Dashboard/Http.ts`). */
const fontFace = `
@font-face { font-family: "Inter Variable"; font-weight: 100 900; src: url("assets/inter.woff2") format("woff2") }
`

/**
 * Shared by the scripts. The token is removed from the address bar before anything else. Requests of a session carry
 * its CSRF token. `show(id)` shows one section of the page and hides the previous message. The theme is the one that the
 * person has chosen in the dashboard.
 */
const helpers = `
const token = new URLSearchParams(location.search).get("token") || ""
history.replaceState(null, "", location.pathname)
try { document.documentElement.dataset.theme = localStorage.getItem("svc.theme") } catch {} // storage may be blocked
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
  try { await work() } catch { say("Can't reach the server. Is it still running?") }
}
const onSubmit = (id, work) => byId(id).addEventListener("submit", async (event) => {
  event.preventDefault()
  const button = byId(id).querySelector("button")
  byId("alert").hidden = true
  button.disabled = true
  await trying(() => work(byId(id).elements))
  button.disabled = false
})
for (const box of document.querySelectorAll(".reveal")) {
  box.addEventListener("change", () => { box.form.elements.password.type = box.checked ? "text" : "password" })
}
`

/** The field of a new password of at most `most` characters. It can be read instead of typed twice. */
export const newPasswordField = (most = maxPasswordLength): string =>
  `<label>Password <small>(at least ${passwordPolicy.min_length} characters)</small>
<input name="password" type="password" required minlength="${passwordPolicy.min_length}" maxlength="${most}" autocomplete="new-password"></label>
<label><input type="checkbox" class="reveal"> Show the password</label>`

/** Three queued bars; within the page, so that the browser asks for no other file. */
const icon = "data:image/svg+xml," + encodeURIComponent(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><rect width='16' height='16' rx='3' fill='#1c2430'/>" +
    "<path d='M4 5h8M4 8h8M4 11h5' stroke='#fff' stroke-width='1.6' stroke-linecap='round'/></svg>"
)

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`

/** A page of `sections`, HTML of our own, and what happens in it. */
export const renderPage = ({ css = "", hasDashboard = false, script, sections, title }: {
  readonly title: string
  readonly sections: string
  readonly script?: string
  /** Style in addition to the house's. */
  readonly css?: string
  /** The dashboard is served beside the page, with its font. */
  readonly hasDashboard?: boolean
}): HtmlPage => {
  const whole = script === undefined ? "" : helpers + script
  const allStyle = style + (hasDashboard ? fontFace : "") + css
  return {
    html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>${allStyle}</style>
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
        hashOf(allStyle)
      }; ` +
      "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; img-src data:" +
      (hasDashboard ? "; font-src 'self'" : "")
  }
}

/** The page as a response. `middleware/Request.ts` sets the no-store and no-referrer headers for all responses. */
export const respondWithPage = ({ html, policy }: HtmlPage) =>
  HttpServerResponse.text(html, {
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": policy }
  })
