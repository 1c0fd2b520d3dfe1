import { Effect } from "effect"
import { renderPage } from "../../Html/HtmlPage.ts"

const script = `
await trying(async () => {
  const response = await post("api/v1/alert-links/preview", { token })
  if (!response.ok) return say(response.code === "validation_failed" ? "This page needs the link of a message." : response.detail)
  for (const place of document.querySelectorAll(".title")) place.textContent = response.title
  show(response.status === "open" ? response.purpose : "ended")
})
const applyLink = async (body) => {
  const response = await post("api/v1/alert-links/act", { token, ...body })
  if (response.ok) show("done")
  else say(response.detail)
}
onSubmit("take", () => applyLink({}))
onSubmit("silence", ({ minutes }) => applyLink({ snooze_minutes: Number(minutes.value) }))
`

/** Asks the API which alert the link is about, and changes it only when its button is used. */
export const renderAlertPage = Effect.sync(() =>
  renderPage({
    title: "Alert of svc",
    script,
    sections: `<section id="waiting">
<h1>An alert</h1>
</section>
<section id="acknowledge" hidden>
<h1 class="title"></h1>
<p>Others see that you take care of it. No further message comes but its recovery.</p>
<form id="take"><button>Acknowledge</button></form>
</section>
<section id="snooze" hidden>
<h1 class="title"></h1>
<p>No message about it is sent for a while, except its recovery.</p>
<form id="silence">
<label>Minutes <input name="minutes" type="number" min="1" max="10080" value="60" required></label>
<button>Snooze</button>
</form>
</section>
<section id="done" hidden>
<h1>Done</h1>
<p class="title"></p>
</section>
<section id="ended" hidden>
<h1>It has ended</h1>
<p class="title"></p>
</section>`
  })
)
