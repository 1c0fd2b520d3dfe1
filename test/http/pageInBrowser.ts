/** As much of a browser as the brain's pages need: their own script runs, on elements that keep what the script sets. */
class Element {
  hidden: boolean
  textContent = ""
  disabled = false
  elements: Readonly<Record<string, { readonly value: string }>> = {}
  readonly #listeners: Array<(event: object) => Promise<void>> = []
  readonly id: string
  constructor(id: string, hidden: boolean) {
    this.id = id
    this.hidden = hidden
  }
  addEventListener(_: string, listener: (event: object) => Promise<void>) {
    this.#listeners.push(listener)
  }
  querySelector() {
    return this
  }
  /** Fills the form in and sends it. */
  async submit(values: Readonly<Record<string, string>>) {
    this.elements = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]))
    for (const listener of this.#listeners) await listener({ preventDefault: () => {} })
  }
}

/** Opens a page at `url` and runs its script; cookies are kept, requests go to the server at `url`. */
export const openPage = async (url: string) => {
  const html = await (await fetch(url)).text()
  const script = /<script type="module">([^]*)<\/script>/.exec(html)?.[1] ?? ""
  const elements = [...html.matchAll(/<(\w+)[^>]*\b(id|class)="(\w+)"([^>]*)>/g)].map((
    [, tag = "", kind, name = "", rest = ""]
  ) => ({ tag, kind, name, element: new Element(name, / hidden/.test(rest)) }))
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
  const document = {
    getElementById: (id: string) => elements.find(({ kind, name }) => kind === "id" && name === id)?.element ?? null,
    querySelectorAll: (selector: string) =>
      elements.filter((
        { kind, name, tag }
      ) => (selector.startsWith(".") ? kind === "class" && name === selector.slice(1) : tag === selector))
        .map(({ element }) => element),
    get cookie() {
      return cookie()
    }
  }
  let shownUrl = url
  const location = {
    search: new URL(url).search,
    pathname: new URL(url).pathname,
    assign: (path: string) => (shownUrl = new URL(path, url).href)
  }
  const history = { replaceState: (_: unknown, __: string, path: string) => (shownUrl = new URL(path, url).href) }
  const fetchFromPage = async (path: string, init: RequestInit & { readonly headers: Record<string, string> }) => {
    const response = await fetch(new URL(path, url), { ...init, headers: { ...init.headers, cookie: cookie() } })
    for (const line of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split("=")
      cookies.set(name, value)
    }
    return response
  }
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor // the language has no name for it
  await AsyncFunction("document", "location", "history", "fetch", script)(document, location, history, fetchFromPage)
  return {
    html,
    /** The value of a cookie that the page has by now. */
    cookie: (name: string) => cookies.get(name),
    /** What the address bar says by now. */
    shownUrl: () => shownUrl,
    /** The section that is to be seen. */
    section: () =>
      elements.filter(({ element, tag }) => tag === "section" && !element.hidden).map(({ name }) => name).join(),
    alertText:
      () => (document.getElementById("alert")?.hidden === false ? document.getElementById("alert")?.textContent : ""),
    text: (name: string) => document.querySelectorAll(`.${name}`)[0]?.textContent,
    textOf: (id: string) => String(document.getElementById(id)?.textContent),
    isHidden: (id: string) => document.getElementById(id)?.hidden,
    submit: async (form: string, values: Readonly<Record<string, string>> = {}) =>
      document.getElementById(form)?.submit(values)
  }
}
