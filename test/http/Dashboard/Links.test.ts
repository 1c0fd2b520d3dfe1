import { assert, describe, it } from "@effect/vitest"
import { makeLinks } from "../../../src/http/Dashboard/Links.ts"

const chunk = (file: string, imports: ReadonlyArray<string> = [], name = "") => ({
  file,
  imports,
  name,
  isEntry: false
})

const linksOf = makeLinks({
  "index.html": { file: "assets/index.js", imports: [], name: "index", isEntry: true },
  "src/i18n/en.ts": chunk("assets/en.js"),
  "src/i18n/de.ts": chunk("assets/de.js", ["index.html"]),
  "_Shell.js": chunk("assets/shell.js", ["index.html"], "Shell"),
  "src/session/SignInPage.tsx": chunk("assets/sign-in.js", ["index.html"]),
  "src/home/HomePage.tsx": chunk("assets/home.js", ["index.html", "_Chart.js"]),
  "src/overview/OverviewPage.tsx": chunk("assets/overview.js", ["index.html", "_Chart.js"]),
  "src/deadLetters/DeadLettersPage.tsx": chunk("assets/dead-letters.js", ["index.html"]),
  "src/agents/NewAgentPage.tsx": chunk("assets/new-agent.js"),
  "src/automation/RulePage.tsx": chunk("assets/rule.js"),
  "src/tasks/TaskPage.tsx": chunk("assets/task.js", ["_Chart.js"]),
  "_Chart.js": chunk("assets/chart.js", ["index.html", "_Plot.js"]),
  "_Plot.js": chunk("assets/plot.js", ["_Chart.js"])
}, "/svc/")

const visit = { path: "/", acceptLanguage: "", hasSession: true }

const filesIn = (links: string) =>
  [...links.matchAll(/<\/svc\/assets\/([^>]*)>; rel="modulepreload"/g)].map(([, file]) => file)

describe("the links of the dashboard's page", () => {
  it("name the page's own files, each once, and not the script that the page itself names", () => {
    const files = ["en.js", "shell.js", "overview.js", "chart.js", "plot.js"]
    assert.deepStrictEqual(filesIn(linksOf({ ...visit, path: "/projects/shop" })), files)
    assert.deepStrictEqual(filesIn(linksOf({ ...visit, path: "/projects/shop/dead-letters" })), [
      "en.js",
      "shell.js",
      "dead-letters.js"
    ])
    assert.deepStrictEqual(
      filesIn(linksOf({ ...visit, path: "/projects/shop/tasks/celery/a3f1" })),
      ["en.js", "shell.js", "task.js", "chart.js", "plot.js"]
    )
    assert.deepStrictEqual(filesIn(linksOf({ ...visit, path: "/projects/shop/agents/new" })), [
      "en.js",
      "shell.js",
      "new-agent.js"
    ])
    assert.deepStrictEqual(filesIn(linksOf({ ...visit, path: "/projects/shop/automation/7" })), [
      "en.js",
      "shell.js",
      "rule.js"
    ])
    assert.deepStrictEqual(filesIn(linksOf(visit)), ["en.js", "shell.js", "home.js", "chart.js", "plot.js"])
  })

  it("name the texts of the first language that the dashboard has", () => {
    const acceptLanguage = "nl-NL, de-AT;q=0.8, en;q=0.7"
    assert.include(filesIn(linksOf({ ...visit, acceptLanguage })), "de.js")
    assert.notInclude(filesIn(linksOf({ ...visit, acceptLanguage })), "en.js")
    assert.include(filesIn(linksOf({ ...visit, acceptLanguage: "../en, nl" })), "en.js")
  })

  it("lead to the sign-in where nobody is signed in, and then call nothing", () => {
    const links = linksOf({ ...visit, path: "/projects/shop", hasSession: false })
    assert.deepStrictEqual(filesIn(links), ["en.js", "sign-in.js"])
    assert.notInclude(links, "api/")
    assert.include(linksOf(visit), "</svc/api/v1/auth/me>; rel=\"preload\"; as=\"fetch\"; crossorigin")
  })

  it("name only the texts and the frame for a path that has no page", () => {
    assert.deepStrictEqual(filesIn(linksOf({ ...visit, path: "/projects/shop/nothing/%22%3E" })), ["en.js", "shell.js"])
  })
})
