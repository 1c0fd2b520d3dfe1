import { renderPage } from "../Html/HtmlPage.ts"

const links = `<p><a href="api/v1/docs">API reference</a>: every call, with examples.<br>
<a href="api/v1/openapi.json">openapi.json</a>: the same for programs.<br>
<a href="health/ready">Readiness</a>: whether the brain serves requests.</p>`

/** The bare address of a brain that has no admin yet. */
export const setupPendingPage = renderPage({
  title: "svc",
  sections: `<h1>svc</h1>
<p>This brain runs and has no admin yet. Open the setup link that it printed when it started, or run
<code>svc bootstrap-admin --email …</code> on its machine.</p>
${links}`
})

/** The bare address of a brain that has one. */
export const homePage = renderPage({
  title: "svc",
  sections: `<h1>svc</h1>
<p>This brain runs and is set up. Sign in on the command line: <code>svc login --email …</code>, then
<code>svc tasks list</code>. Forgot the password? <a href="reset-password">Request a link.</a></p>
${links}`
})
