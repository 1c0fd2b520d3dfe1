import { AxeBuilder } from "@axe-core/playwright"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core"
import { launchChromium } from "../../chromium.ts"
import { isFullLane } from "../../engines.ts"
import { until } from "../../until.ts"

export const browser = Effect.acquireRelease(
  Effect.promise(launchChromium),
  (browser) => Effect.promise(() => browser.close())
)

export interface Visit {
  readonly page: Page
  /** What the browser complained about: violations of the policy, and errors of scripts. */
  readonly complaints: ReadonlyArray<string>
}

/** A browser profile of its own, with one page; the complaints are those of every page that it opens. */
export const visit = (browser: Browser, baseURL: string, options: BrowserContextOptions = {}) =>
  Effect.promise(async (): Promise<Visit> => {
    const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 }, ...options })
    context.setDefaultTimeout(60_000)
    const complaints: Array<string> = []
    context.on("weberror", (failure) => complaints.push(failure.error().message))
    context.on("console", (message) => {
      // a refused or broken request is logged too; the page must show it to the person
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        complaints.push(message.text())
      }
    })
    return { page: await context.newPage(), complaints }
  })

/** The code of each page is loaded when the page is opened, as in the first seconds of a visit. */
export const loadLate = (page: Page) =>
  page.addInitScript("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")

/** Signs in on the page that asks for it, and waits for the one behind it. */
export const signIn = async (page: Page, email: string, password: string) => {
  await page.getByLabel("E-mail address").fill(email)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Sign in", exact: true }).click()
  await page.getByRole("main").filter({ hasNotText: "E-mail address" }).waitFor()
}

const tags = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]
/** Only colours differ between the themes. */
const colourRules = ["color-contrast", "link-in-text-block"]

/** Beyond WCAG: what a screen reader lists of a page. */
const outlineRules = {
  "heading-order": { enabled: true },
  "landmark-unique": { enabled: true },
  "page-has-heading-one": { enabled: true }
}

/** Our pages have no frames of other origins, for which axe would open a page of its own each time. */
const axeOn = (page: Page) =>
  new AxeBuilder({ page }).options({ resultTypes: ["violations"], rules: outlineRules }).setLegacyMode()

const assertNoViolation = async (name: string, axe: AxeBuilder) => {
  const { violations } = await axe.analyze()
  assert.deepStrictEqual(
    violations.map(({ id, nodes }) => `${name}: ${id} at ${nodes.map(({ html }) => html).join("; ")}`),
    []
  )
}

/** No violation of WCAG 2.2 A and AA and of the outline that axe can see; in the full lane the colours of the dark theme too. */
export const assertAccessible = async (page: Page, name: string) => {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  await assertNoViolation(`${name}, light`, axeOn(page).withTags(tags))
  if (!isFullLane) return
  await page.emulateMedia({ colorScheme: "dark" })
  await assertNoViolation(`${name}, dark`, axeOn(page).withRules(colourRules))
}

/** Waits for what the page or the API will say. */
export const waitUntil = (condition: () => Promise<boolean>) =>
  Effect.runPromise(until(Effect.promise(condition), (holds) => holds))

/** A phone shows the page without a scroll to the side. */
export const assertFitsPhone = async (page: Page) => {
  const size = page.viewportSize()
  await page.setViewportSize({ width: 390, height: 800 })
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))") // charts follow
  assert.isAtMost(await page.locator("html").evaluate(({ scrollWidth }) => scrollWidth), 390, page.url())
  assert.isAtMost(await page.locator("main").evaluate(({ scrollWidth }) => scrollWidth), 390, page.url())
  if (size !== null) await page.setViewportSize(size)
}

/** Both checks of a page. */
export const inspect = async (page: Page, name: string) => {
  await assertAccessible(page, name)
  await assertFitsPhone(page)
}

export const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click()

/** Moves the pressed pointer from the element to beside the dialog, as a selection of text that goes too far does. */
export const dragBeside = async (page: Page, element: Locator) => {
  await element.hover()
  await page.mouse.down()
  await page.mouse.move(5, 5)
  await page.mouse.up()
}

/** Clicks beside the dialog. */
export const clickBeside = (page: Page) => page.mouse.click(5, 5)

/** When the header says that the page was last true, in epoch milliseconds. */
export const readAt = async (page: Page) => Number(await page.locator("[data-true-at]").getAttribute("data-true-at"))

/** Presses the button within the dialog, and waits until the dialog has closed. */
export const confirm = async (page: Page, name: string) => {
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name, exact: true }).click()
  await dialog.waitFor({ state: "detached" })
}

/** Types into the palette, and chooses what it then offers first; the page that opens has this title. */
export const openByPalette = async (page: Page, typed: string, option: string, title = option) => {
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox", { name: "Go to or run" }).waitFor()
  await page.keyboard.type(typed)
  await page.getByRole("option", { name: option, selected: true }).waitFor()
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { level: 1, name: title }).waitFor()
}
