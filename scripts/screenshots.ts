// Makes a picture of every page of the dashboard in dist/screenshots/: light and dark, of an empty project and when a read
// fails; and on a phone the pages that a person on call needs. Those that docs show are replaced in docs/screenshots/. It
// starts a demo in a temporary folder, and needs a built program (npm run build):
//   npm run screenshots [-- name…]     only the pages whose name has one of these parts
// The pages are those of web/src/routes.tsx. A page with a new parameter needs a line in `prepare` below.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { BrowserContextOptions, Page, Request } from "playwright-core"
import ts from "typescript"
import { launchChromium } from "../test/chromium.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = join(root, "dist/screenshots")
const docsFolder = join(root, "docs/screenshots")
const wanted = process.argv.slice(2).filter((argument) => argument !== "--")

const slug = "shop"
const emptySlug = "empty"
const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 800 }
const onCallPages = new Set(["overview", "tasks", "tasks-engine-taskid", "notifications-alerts-alertid"])

/** The paths of all routes that show a page, from the source: the router itself needs a browser. */
const readPaths = (): ReadonlyArray<string> => {
  const name = join(root, "web/src/routes.tsx")
  const source = ts.createSourceFile(name, readFileSync(name, "utf8"), ts.ScriptTarget.ES2023, true, ts.ScriptKind.TSX)
  const routes = new Map<string, { readonly parent: string; readonly path: string; readonly isPage: boolean }>()
  const visit = (node: ts.Node) => {
    if (
      ts.isVariableDeclaration(node) && node.initializer !== undefined && ts.isCallExpression(node.initializer) &&
      node.initializer.expression.getText() === "createRoute"
    ) {
      const [options] = node.initializer.arguments
      const textOf = (key: string) =>
        options !== undefined && ts.isObjectLiteralExpression(options)
          ? options.properties.find((property) => property.name?.getText() === key)?.getText() ?? ""
          : ""
      routes.set(node.name.getText(), {
        parent: /=>\s*(\w+)/.exec(textOf("getParentRoute"))?.[1] ?? "",
        path: /"([^"]*)"/.exec(textOf("path"))?.[1] ?? "",
        isPage: !/component:\s*(Outlet$|lazyPage\(frame\b)/.test(textOf("component"))
      })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  const pathOf = (name: string): string => {
    const route = routes.get(name)
    return route === undefined ? "" : `${pathOf(route.parent)}${route.path}`
  }
  return [...routes].filter(([, { isPage }]) => isPage).map(([name]) => pathOf(name).replace(/(.)\/$/, "$1"))
}

/** `/projects/$slug/tasks/$engine/$taskId` becomes `tasks-engine-taskid`. */
const nameOf = (path: string) =>
  path === "/"
    ? "all-projects"
    : path.replace(/^\/projects\/\$slug\/?/, "").replace(/^\//, "").replaceAll("$", "").replaceAll("/", "-")
      .toLowerCase() || "overview"

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** The demo on a free port, with a second project that has nothing. */
const startDemo = async (home: string) => {
  const port = await freePort()
  const brain = spawn(process.execPath, [join(root, "dist/cli/svc.js"), "serve", "--demo", "--port", String(port)], {
    env: { PATH: process.env.PATH ?? "", HOME: home },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let log = ""
  for (const output of [brain.stdout, brain.stderr]) {
    output.on("data", (data: Buffer) => {
      log += data.toString("utf8")
    })
  }
  while (!log.includes("the shop is open")) {
    if (brain.exitCode !== null) throw new Error(`the demo ended:\n${log}`)
    await pause(100)
  }
  const key = /SVC_API_KEY=(\S+)/.exec(readFileSync(join(home, ".svc-demo/env"), "utf8"))?.[1] ?? ""
  const url = `http://127.0.0.1:${port}`
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return JSON.parse(await response.text())
  }
  return { brain, url, call, password: /password (\S+)/.exec(log)?.[1] ?? "" }
}

type Call = Awaited<ReturnType<typeof startDemo>>["call"]

/** The alert and the approval of the demo come within seconds. */
const waitForFirst = async (call: Call, list: string) => {
  for (let attempt = 0; attempt < 60; attempt++) {
    const [first] = (await call("GET", list)).items
    if (first !== undefined) return first
    await pause(1_000)
  }
  return undefined
}

/** What the demo lacks, so that no page is empty. Returns the values of parameters in paths. */
const prepare = async (call: Call): Promise<Readonly<Record<string, string>>> => {
  const path = `/projects/${slug}`
  await call("POST", "/projects", { slug: emptySlug, name: "Empty" })
  const groups: ReadonlyArray<{ readonly fingerprint: string; readonly open_count: number }> =
    (await call("GET", `${path}/issues`)).items
  const [group, other = group] = groups.toSorted((one, another) => another.open_count - one.open_count)
  if (group === undefined || other === undefined) throw new Error("the demo has no failures")
  const retry = ({ fingerprint }: { readonly fingerprint: string }, max: number, rate_per_second: number) =>
    call("POST", `${path}/bulk-retry-requests`, {
      idempotency_key: `screenshots-${max}`,
      filter: { fingerprint },
      max,
      rate_per_second
    })
  await retry(other, 20, 100)
  const request = await retry(group, 30, 0.5)
  await call("POST", `${path}/bulk-jobs:delete`, { filter_query: "name:=mail.invoice until:12h" })
  await call("POST", `${path}/bulk-jobs:cancel`, { filter_queue: "mail" })
  const [rule] = (await call("GET", `${path}/automation/rules`)).items
  await call("POST", `${path}/deploys`, { version: "v1.4.2", at: new Date(Date.now() - 6 * 3_600_000).toISOString() })
  const [task] = (await call("GET", `${path}/tasks?state=failure&limit=1`)).items
  const [schedule] = (await call("GET", `${path}/schedules`)).items
  const [worker] = await call("GET", `${path}/workers`)
  const [agent] = await call("GET", `${path}/agents`)
  const alert = await waitForFirst(call, `${path}/notifications/alerts`)
  await waitForFirst(call, `${path}/approvals`)
  return {
    fingerprint: group.fingerprint,
    requestId: request.id,
    ruleId: rule.id,
    engine: task.engine,
    taskId: task.task_id,
    name: "payment.charge",
    queue: task.queue,
    scheduleId: schedule?.id ?? "",
    workerId: worker?.id ?? "",
    agentId: agent?.id ?? "",
    alertId: alert?.id ?? ""
  }
}

/** The path with its parameters, or null where the demo has nothing that the page could show. */
const resolvePath = (path: string, project: string, parameters: Readonly<Record<string, string>>): string | null => {
  const missing = [...path.matchAll(/\$(\w+)/g)].some(([, name = ""]) => name !== "slug" && !parameters[name])
  return missing
    ? null
    : path.replace(
      /\$(\w+)/g,
      (_, name: string) => encodeURIComponent(name === "slug" ? project : parameters[name] ?? "")
    )
}

/** The live stream of a page does not end. */
const isStream = ({ pathname }: URL) => pathname.endsWith("/stream")

/** Opens a page, and returns when it has what it reads and its charts are drawn. */
const open = async (page: Page, target: string) => {
  const pending = new Set<Request>()
  page.on("request", (request) => {
    if (!isStream(new URL(request.url()))) pending.add(request)
  })
  page.on("requestfinished", (request) => pending.delete(request))
  page.on("requestfailed", (request) => pending.delete(request))
  await page.goto(target)
  await page.locator("main").waitFor()
  do await pause(700)
  while (pending.size > 0)
}

/** Playwright itself takes no WebP. */
const capture = async (page: Page): Promise<Buffer> => {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 80 })
  return Buffer.from(data, "base64")
}

/** Every read of a page is refused. With a status of 5xx the dashboard would first ask again for 7 seconds. */
const failReads = (page: Page) =>
  page.route(
    (url) => /\/api\/v1\/(projects\/[^/]+\/|home)/.test(url.pathname) && !isStream(url),
    (route) =>
      route.fulfill({
        status: 429,
        contentType: "application/problem+json",
        body: JSON.stringify({
          type: "about:blank",
          title: "Too Many Requests",
          status: 429,
          code: "rate_limited",
          detail: "Too many requests: try again in 20 seconds.",
          request_id: "0199c0de-7a1b-7c3d-8e5f-60718293a4b5"
        })
      })
  )

const home = mkdtempSync(join(tmpdir(), "svc-screenshots-"))
mkdirSync(folder, { recursive: true })
if (wanted.length === 0) { for (const name of readdirSync(folder)) rmSync(join(folder, name)) }
const { brain, call, password, url } = await startDemo(home)
const browser = await launchChromium()
try {
  const parameters = await prepare(call)
  const first = await browser.newContext({ baseURL: url })
  const signIn = await first.newPage()
  await signIn.goto("/")
  await signIn.getByLabel("E-mail address").fill("demo@example.com")
  await signIn.getByLabel("Password", { exact: true }).fill(password)
  await signIn.getByRole("button", { name: "Sign in", exact: true }).click()
  await signIn.getByRole("heading", { name: "All projects" }).waitFor()
  const storageState = await first.storageState()

  const paths = readPaths().filter((path) => wanted.length === 0 || wanted.some((part) => nameOf(path).includes(part)))
  const shoot = async (
    variant: string,
    options: BrowserContextOptions,
    project: string,
    { isFailing = false, shown = () => true }: {
      readonly isFailing?: boolean
      readonly shown?: (path: string) => boolean
    } = {}
  ) => {
    const signedIn = await browser.newContext({ baseURL: url, reducedMotion: "reduce", storageState, ...options })
    const signedOut = await browser.newContext({ baseURL: url, reducedMotion: "reduce", ...options })
    for (const path of paths.filter(shown)) {
      const target = resolvePath(path, project, parameters)
      if (target === null) {
        console.log(`${nameOf(path)}: the demo has nothing to show`)
        continue
      }
      const page = await (path === "/sign-in" ? signedOut : signedIn).newPage()
      page.setDefaultTimeout(120_000) // a busy machine
      if (isFailing) await failReads(page)
      await open(page, target)
      writeFileSync(join(folder, `${nameOf(path)}-${variant}.webp`), await capture(page))
      await page.close()
    }
    await signedIn.close()
    await signedOut.close()
  }

  const isOfProject = (path: string) => path.startsWith("/projects/")
  await shoot("light", { viewport: desktop, colorScheme: "light" }, slug)
  await shoot("dark", { viewport: desktop, colorScheme: "dark" }, slug)
  await shoot("phone", { viewport: phone, colorScheme: "light" }, slug, {
    shown: (path) => onCallPages.has(nameOf(path))
  })
  await shoot("empty", { viewport: desktop, colorScheme: "light" }, emptySlug, {
    shown: (path) => isOfProject(path) && !/\$(?!slug)/.test(path)
  })
  await shoot("error", { viewport: desktop, colorScheme: "light" }, slug, { isFailing: true, shown: isOfProject })

  const files = readdirSync(folder)
  for (const name of readdirSync(docsFolder).filter((name) => files.includes(name))) {
    copyFileSync(join(folder, name), join(docsFolder, name))
  }
  console.log(`${files.length} pictures of ${paths.length} pages in dist/screenshots/`)
} finally {
  await browser.close() // first: its open streams would delay the end of the brain
  brain.kill("SIGTERM")
  await once(brain, "exit")
  rmSync(home, { recursive: true, force: true })
}
