import { setTimeout as sleep } from "node:timers/promises"

/** What people and their tools ask of a brain for as long as the soak lasts. Requests to a killed brain count as status 0. */
export class People {
  readonly statusCounts = new Map<string, number>()
  readonly commands: Array<string> = []
  streams = 0
  isOver = false
  private readonly loops: Array<Promise<void>> = []
  private turn = 0

  constructor(
    private readonly urls: ReadonlyArray<string>,
    private readonly token: string,
    private readonly agentIds: ReadonlyArray<string>
  ) {}

  /** A status, the JSON and the response's headers; status 0 without a response. */
  async ask(method: string, path: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const url = this.urls[this.turn++ % this.urls.length] ?? ""
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      const isJson = response.headers.get("content-type")?.includes("json") === true
      this.count(method, response.status)
      return { url, status: response.status, json: isJson ? JSON.parse(text) : null, headers: response.headers }
    } catch {
      this.count(method, 0)
      return { url, status: 0, json: null, headers: new Headers() }
    }
  }

  start(): void {
    const project = "/projects/bench"
    const reads = [
      "/tasks?limit=50",
      "/tasks?state=failure",
      "/tasks?search=order",
      "/trends?window=1h&bucket=1m",
      "/task-names?window=24h",
      "/stats",
      "/workers",
      "/queues",
      "/agents",
      "/schedules",
      "/commands",
      "/issues",
      "/tasks?format=csv&limit=500",
      "/audit",
      "/notifications/deliveries"
    ]
    let read = 0
    this.every(500, () => this.ask("GET", `${project}${reads[read++ % reads.length]}`))
    this.every(2000, () => this.command())
    this.every(5000, () => this.stream())
    this.every(20_000, () => this.login())
    this.every(60_000, () => this.ask("POST", `${project}/audit/export-jobs`, { format: "csv" }))
  }

  async end(): Promise<void> {
    this.isOver = true
    await Promise.all(this.loops)
  }

  private count(method: string, status: number): void {
    const key = `${method} ${status}`
    this.statusCounts.set(key, (this.statusCounts.get(key) ?? 0) + 1)
  }

  private every(millis: number, action: () => Promise<unknown>): void {
    const run = async () => {
      while (!this.isOver) {
        await action()
        await sleep(millis)
      }
    }
    this.loops.push(run())
  }

  private async command(): Promise<void> {
    const agent_id = this.agentIds[this.commands.length % this.agentIds.length]
    const body = { agent_id, engine: "celery", task_id: `t${this.commands.length}` }
    const { json, status } = await this.ask("POST", "/projects/bench/commands/cancel-task", body)
    if (status === 202) this.commands.push(json.id)
  }

  /** Follows the tasks for 4 s, and goes away without a word. */
  private async stream(): Promise<void> {
    const url = this.urls[this.turn++ % this.urls.length] ?? ""
    const leave = new AbortController()
    try {
      const response = await fetch(`${url}/api/v1/projects/bench/stream`, {
        headers: { authorization: `Bearer ${this.token}` },
        signal: leave.signal
      })
      this.count("stream", response.status)
      setTimeout(() => leave.abort(), 4000)
      for await (const chunk of response.body ?? []) this.streams += chunk.length > 0 ? 1 : 0
    } catch {
      leave.abort() // it was left, or the brain was killed
    }
  }

  private async login(): Promise<void> {
    const response = await this.ask("POST", "/auth/login", {
      email: "admin@example.com",
      password: "correct horse battery"
    })
    if (response.status !== 200) return
    const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0] ?? "")
    await fetch(`${response.url}/api/v1/auth/me`, { headers: { cookie: cookies.join("; ") } }).catch(() => null)
  }
}
